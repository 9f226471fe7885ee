/**
 * HalfSipHash-1-3 of a text with one character per byte, as a signed number of 32 bits (Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF"). A sender without the key cannot choose texts that collide, and so cannot fill one chain of a table.
 */
export function keyedHash(text: string, [low, high]: readonly [low: number, high: number]): number {
  let v0 = low | 0;
  let v1 = high | 0;
  let v2 = 0x6c796765 ^ low;
  let v3 = 0x74656462 ^ high;
  const { length } = text;
  const rest = length & 3;
  const wordsEnd = length - rest;
  for (let at = 0; at < wordsEnd; at += 4) {
    const word =
      text.charCodeAt(at) |
      (text.charCodeAt(at + 1) << 8) |
      (text.charCodeAt(at + 2) << 16) |
      (text.charCodeAt(at + 3) << 24);
    v3 ^= word;
    round();
    v0 ^= word;
  }
  let last = length << 24;
  for (let at = 0; at < rest; at += 1) last |= text.charCodeAt(wordsEnd + at) << (8 * at);
  v3 ^= last;
  round();
  v0 ^= last;
  v2 ^= 0xff;
  round();
  round();
  round();
  return v1 ^ v3;

  function round(): void {
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
  }
}
