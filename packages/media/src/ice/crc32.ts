/** The reflected polynomial of ISO 3309, as in Ethernet and zip. */
const polynomial = 0xedb88320;

const table = new Uint32Array(256).map((_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ polynomial;
  return value;
});

/** CRC-32 of the first `length` bytes. */
export function crc32(bytes: Uint8Array, length: number): number {
  let value = 0xffffffff;
  for (let i = 0; i < length; i++) value = table[(value ^ bytes[i]!) & 0xff]! ^ (value >>> 8);
  return ~value >>> 0;
}
