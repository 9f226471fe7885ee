import type { Instant } from '@jackfield/ports';

/** Turns of a gateway with a rate of messages: each is one interval after the last. */
export interface Pace {
  readonly nextAt: Instant;
}

export const unpaced: Pace = { nextAt: 0 };

/** When the next message may go, and the pace after it; undefined when that is later than `latest`. */
export function nextTurn(
  pace: Pace,
  perSecond: number,
  now: Instant,
  latest: Instant,
): { readonly at: Instant; readonly pace: Pace } | undefined {
  // After a pause the messages of one second may go at once.
  const at = Math.max(pace.nextAt, now - 1000 + 1000 / perSecond);
  if (at > latest) return undefined;
  return { at: Math.max(at, now), pace: { nextAt: at + 1000 / perSecond } };
}
