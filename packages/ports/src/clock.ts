import type { Instant } from './machine.ts';

/**
 * The only source of time and of timers; the simulated world moves it by hand. docs/decisions/0019-time.md says which of the two
 * times belongs where.
 */
export interface Clock {
  /** Counts on evenly from the wall clock as it was when the process started: for whatever is compared, waited for or billed. */
  now(): Instant;
  /**
   * The wall clock: `now()`, moved by the steps (operators, NTP) that it has made since the process started. It may jump in both
   * directions: for dates that people read, and for what other machines have signed with their date.
   */
  wallNow(): Instant;
  /** Calls `fire` once when `now()` is `at` (at once when `at` has passed); returns the function that cancels it. */
  startTimer(at: Instant, fire: () => void): () => void;
}
