import type { Instant, Step } from '@jackfield/ports';
import type { Attempt, Stream, StreamEffect, StreamFault, StreamLimits } from './stream.ts';

/** A further attempt, or the fault with which the stream has failed. */
export type AttemptStep = Step<Stream, StreamEffect> | { readonly failure: StreamFault };

/** The next look-up; its number marks earlier look-ups as late. */
export function tryNow(stream: Stream, changes: Partial<Attempt> = {}): Step<Stream, StreamEffect> {
  const before = { ...stream.attempt, ...changes };
  const attempt = { ...before, number: before.number + 1, ofUrl: before.ofUrl + 1 };
  return {
    state: { ...stream, attempt },
    effects: [{ do: 'find-target', attempt: attempt.number, url: urlOf({ ...stream, attempt }) }],
  };
}

/**
 * After a pause the same URL again, within its limit; then the other URL, once. `isFinal`: this URL can never be reached.
 */
export function tryAgain(
  stream: Stream,
  fault: StreamFault,
  isFinal: boolean,
  now: Instant,
  limits: StreamLimits,
): AttemptStep {
  const { attempt, order } = stream;
  const pauseMs = pauseOf(stream, limits);
  if (!isFinal && hasChance(stream, now + pauseMs, limits)) {
    return { state: stream, effects: [{ do: 'start-timer', key: 'pause', at: now + pauseMs }] };
  }
  if (order.fallbackUrl === undefined || attempt.isOther) return { failure: fault };
  return tryNow(stream, {
    url: attempt.url === 'service' ? 'fallback' : 'service',
    ofUrl: 0,
    isOther: true,
  });
}

export function urlOf({ attempt, order }: Stream): string {
  return attempt.url === 'fallback' ? (order.fallbackUrl ?? order.serviceUrl) : order.serviceUrl;
}

/** A lost URL is tried for a time, any other a number of times. */
function hasChance({ attempt, interruption, phase }: Stream, at: Instant, limits: StreamLimits): boolean {
  if (phase !== 'interrupted' || attempt.isOther || interruption === null) {
    return attempt.ofUrl < limits.attempts;
  }
  return at < interruption.until;
}

/** Constant at the beginning; after a loss each pause is twice as long as the last. */
function pauseOf({ attempt, phase }: Stream, { pauseMs, longestPauseMs }: StreamLimits): number {
  if (phase !== 'interrupted' || attempt.isOther) return pauseMs;
  return Math.min(longestPauseMs, (pauseMs / 2) * 2 ** Math.min(attempt.ofUrl - 1, 16));
}
