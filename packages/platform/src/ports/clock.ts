import type { Instant } from '../kernel/machine.ts';

/** The only source of time and of timers; the simulated world moves it by hand. */
export interface Clock {
  now(): Instant;
  /** Calls `fire` once at `at` (at once when `at` has passed); returns the function that cancels it. */
  startTimer(at: Instant, fire: () => void): () => void;
}
