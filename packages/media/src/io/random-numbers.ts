import { randomFillSync } from 'node:crypto';

/** Numbers that are drawn together: 1 KiB. */
const drawn = 256;

/** Unpredictable numbers of 32 bits in [0, 1). A leg needs five, and a call of node:crypto for each costs more than the numbers. */
export function createRandomNumbers(): () => number {
  const numbers = new Uint32Array(drawn);
  let left = 0;
  return () => {
    if (left === 0) {
      randomFillSync(numbers);
      left = drawn;
    }
    return numbers[--left]! / 2 ** 32;
  };
}
