import { hexOf, paddedWords } from './words.ts';

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];

/**
 * MD5 (RFC 1321) of a byte string in hex, for digest authentication alone: browsers have no MD5, and their other hashes are asynchronous.
 */
export function md5(bytes: string): string {
  const words = paddedWords(bytes, true);
  let [a, b, c, d] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let block = 0; block < words.length; block += 16) {
    const before = [a, b, c, d] as const;
    for (let step = 0; step < 64; step += 1) {
      const round = step >> 4;
      const [mixed, index] =
        round === 0
          ? [(b & c) | (~b & d), step]
          : round === 1
            ? [(b & d) | (c & ~d), (5 * step + 1) % 16]
            : round === 2
              ? [b ^ c ^ d, (3 * step + 5) % 16]
              : [c ^ (b | ~d), (7 * step) % 16];
      // RFC 1321 §3.4: the constants are the integer parts of 2^32 times the sines.
      const constant = Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32);
      const sum = (a + mixed + constant + words[block + index]!) | 0;
      const shift = SHIFTS[round * 4 + (step % 4)]!;
      [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0];
    }
    [a, b, c, d] = [(a + before[0]) | 0, (b + before[1]) | 0, (c + before[2]) | 0, (d + before[3]) | 0];
  }
  return hexOf([a, b, c, d], true);
}
