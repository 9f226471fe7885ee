import { hexOf, paddedWords } from './words.ts';

/** RFC 6234 §5.1 and §6.1: fractions of the roots of the first primes. */
const primes = Array.from({ length: 312 }, (_, number) => number).filter(
  (number) =>
    number > 1 &&
    !Array.from({ length: number }, (_, each) => each).some((each) => each > 1 && number % each === 0),
);
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const CONSTANTS = primes.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)));

/** SHA-256 (RFC 6234) of a byte string in hex; that of browsers is asynchronous and missing in pages without TLS. */
export function sha256(bytes: string): string {
  const words = paddedWords(bytes, false);
  const hash = Int32Array.from(START);
  const schedule = new Int32Array(64);
  for (let block = 0; block < words.length; block += 16) {
    let [a, b, c, d, e, f, g, h] = hash as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let step = 0; step < 64; step += 1) {
      if (step < 16) schedule[step] = words[block + step]!;
      else {
        const [early, late] = [schedule[step - 15]!, schedule[step - 2]!];
        const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
        const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
        schedule[step] = schedule[step - 16]! + small + schedule[step - 7]! + large;
      }
      const first =
        (h +
          (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
          ((e & f) ^ (~e & g)) +
          CONSTANTS[step]! +
          schedule[step]!) |
        0;
      const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) hash[index] = hash[index]! + value;
  }
  return hexOf(hash, false);
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
