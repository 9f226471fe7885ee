/** Offset of the payload of an RTP packet, encrypted or not; −1 for other packets. */
export function rtpPayloadOffset(bytes: Uint8Array, length: number): number {
  if (length < 12 || bytes[0]! >> 6 !== 2) return -1;
  let offset = 12 + (bytes[0]! & 0x0f) * 4;
  if ((bytes[0]! & 0x10) !== 0) {
    if (offset + 4 > length) return -1;
    offset += 4 + ((bytes[offset + 2]! << 8) | bytes[offset + 3]!) * 4;
  }
  return offset > length ? -1 : offset;
}

/** A big-endian 32-bit number. */
export function readWord(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

/** Writes a big-endian 32-bit number. */
export function writeWord(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}
