/** The wait before the first new attempt. */
const FIRST_MS = 500;

/** The longest wait: a phone is back at most this long after its server. */
const LONGEST_MS = 30_000;

/**
 * The wait before a new attempt after `failures` failed ones: it doubles, and lies between a half and the whole of that, so that the phones
 * of a server that has come back do not all register at once. `chance` is a random number in [0, 1).
 */
export function backOffMs(failures: number, chance: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  return Math.round(whole * (0.5 + chance / 2));
}
