import type { Instant } from './machine.ts';

/**
 * The only source of time and of timers; tests move it by hand. docs/decisions/0019-time.md defines the use of each of the two
 * times.
 */
export interface Clock {
  /** Starts at the wall clock of the process start and never jumps: for comparisons, timers and billing. */
  now(): Instant;
  /**
   * The wall clock: `now()` plus the steps (operators, NTP) since the process start. It may jump in both directions: for dates
   * that people read, and for dates that other machines have signed.
   */
  wallNow(): Instant;
  /** Calls `fire` once when `now()` is `at` (at once when `at` has passed); returns the function that cancels it. */
  startTimer(at: Instant, fire: () => void): () => void;
}
