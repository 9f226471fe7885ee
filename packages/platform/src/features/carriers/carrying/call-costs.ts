import type { Instant } from '@jackfield/ports';
import type { Usage } from '../../usage/index.ts';

/** The prices of calls through carriers, in 1e-5 units. */
export interface CallCosts {
  /** Whether the table has an entry for the number; the entry may be free. */
  isPriced(number: string): boolean;
  /** Of a call to its time limit, and of the time until an unanswered BYE ends it. */
  worstCase(number: string, timeLimitSeconds: number): number;
  /** 0 without an answer. */
  of(number: string, answeredMs: number): number;
  /** Of a call whose process ended before it. */
  ofOrphan(call: OrphanedCall, now: Instant): number;
}

export interface OrphanedCall {
  readonly number: string;
  readonly reserved_at: Instant;
  readonly worst_case: number;
}

/** RFC 3261 §17.1.2.2 Timer F: how long the BYE at the time limit may stay unanswered before we end the call. */
const overrunSeconds = 32;
/** RFC 4028 §4, the recommended interval: how long a carrier may keep a call whose platform has crashed. */
const orphanSeconds = 1800;

export function createCallCosts(usage: Usage): CallCosts {
  const of = (number: string, answeredMs: number) =>
    answeredMs === 0
      ? 0
      : usage.amountOf(usage.rateOf('outbound', number), Math.max(1, Math.round(answeredMs / 1000))).units;
  return {
    isPriced: (number) => usage.isPriced('outbound', number),
    worstCase: (number, timeLimitSeconds) =>
      usage.amountOf(usage.rateOf('outbound', number), timeLimitSeconds + overrunSeconds).units,
    of,
    // The clock may have been set back since.
    ofOrphan: ({ number, reserved_at, worst_case }, now) =>
      Math.min(worst_case, of(number, Math.max(0, now - reserved_at) + orphanSeconds * 1000)),
  };
}
