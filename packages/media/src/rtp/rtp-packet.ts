/*
 * RFC 3550 §5.1
 *
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |V=2|P|X|  CC   |M|     PT      |       sequence number         |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                           timestamp                           |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                             SSRC                              |
 * +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
 * |                    CSRC × CC, then, with X:                   |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |      defined by profile       |   length (32-bit words)       |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |  extension, payload, with P: padding whose last byte counts it |
 */

/** The fixed header and the position of the payload; `readRtpPacket` refills one object. */
export interface RtpHeader {
  version: number;
  padding: boolean;
  extension: boolean;
  csrcCount: number;
  marker: boolean;
  payloadType: number;
  sequenceNumber: number;
  timestamp: number;
  ssrc: number;
  /** Bytes before the payload. */
  payloadOffset: number;
  /** Bytes of payload without padding; may be 0. */
  payloadLength: number;
}

/** Bytes of a header without CSRCs and extension, the only kind we send (RFC 3550 §5.1). */
export const rtpHeaderBytes = 12;

/** Sockets cut packets off at this length, which is longer than any Ethernet frame. */
export const receivedPacketBytes = 2048;

/** A blank header to be filled by `readRtpPacket`. */
export function createRtpHeader(): RtpHeader {
  return {
    version: 2,
    padding: false,
    extension: false,
    csrcCount: 0,
    marker: false,
    payloadType: 0,
    sequenceNumber: 0,
    timestamp: 0,
    ssrc: 0,
    payloadOffset: rtpHeaderBytes,
    payloadLength: 0,
  };
}

/**
 * Reads the first `length` bytes as an RTP packet (RFC 3550 §5.1, A.1). False for a wrong version, or when CSRCs,
 * extension or padding exceed the length; `into` is then undefined.
 */
export function readRtpPacket(bytes: Uint8Array, length: number, into: RtpHeader): boolean {
  if (length < rtpHeaderBytes || length > bytes.length) return false;
  const first = bytes[0]!;
  if (first >> 6 !== 2) return false;
  const second = bytes[1]!;
  let offset = rtpHeaderBytes + (first & 0x0f) * 4;
  // RFC 3550 §5.3.1: the length counts 32-bit words after the four bytes that hold it.
  if ((first & 0x10) !== 0) {
    if (offset + 4 > length) return false;
    offset += 4 + ((bytes[offset + 2]! << 8) | bytes[offset + 3]!) * 4;
  }
  if (offset > length) return false;
  let payload = length - offset;
  if ((first & 0x20) !== 0) {
    // The count includes itself, so 0 is invalid, as is a count that reaches into the header.
    const count = bytes[length - 1]!;
    if (count === 0 || count > payload) return false;
    payload -= count;
  }
  into.version = 2;
  into.padding = (first & 0x20) !== 0;
  into.extension = (first & 0x10) !== 0;
  into.csrcCount = first & 0x0f;
  into.marker = second >= 0x80;
  into.payloadType = second & 0x7f;
  into.sequenceNumber = (bytes[2]! << 8) | bytes[3]!;
  into.timestamp = ((bytes[4]! << 24) | (bytes[5]! << 16) | (bytes[6]! << 8) | bytes[7]!) >>> 0;
  into.ssrc = ((bytes[8]! << 24) | (bytes[9]! << 16) | (bytes[10]! << 8) | bytes[11]!) >>> 0;
  into.payloadOffset = offset;
  into.payloadLength = payload;
  return true;
}

/**
 * Writes a header without CSRCs, extension and padding at the start of `out`, and returns its length of 12 bytes (RFC
 * 3550 §5.1). Numbers are taken modulo the width of their field.
 */
export function writeRtpHeader(
  out: Uint8Array,
  payloadType: number,
  marker: boolean,
  sequenceNumber: number,
  timestamp: number,
  ssrc: number,
): number {
  out[0] = 0x80;
  out[1] = (marker ? 0x80 : 0) | (payloadType & 0x7f);
  out[2] = sequenceNumber >>> 8;
  out[3] = sequenceNumber;
  out[4] = timestamp >>> 24;
  out[5] = timestamp >>> 16;
  out[6] = timestamp >>> 8;
  out[7] = timestamp;
  out[8] = ssrc >>> 24;
  out[9] = ssrc >>> 16;
  out[10] = ssrc >>> 8;
  out[11] = ssrc;
  return rtpHeaderBytes;
}

/**
 * True when a packet on the RTP port is RTCP: its second byte is 192–223. RTP must then not use payload types 64–95
 * (RFC 5761 §4).
 */
export function looksLikeRtcp(bytes: Uint8Array, length: number): boolean {
  return length >= 4 && bytes[0]! >> 6 === 2 && bytes[1]! >= 192 && bytes[1]! <= 223;
}
