import type { Instant } from '@jackfield/ports';

/** What is heard of whoever answered, before the code is spoken. */
export interface Greeting {
  /** When the first word came; null while nothing has been said. */
  readonly since: Instant | null;
  readonly isTalking: boolean;
  /** Decided: a machine talks like that, and the key 1 is asked for before the code. */
  readonly isLong: boolean;
}

/**
 * A person says who is there and waits; a machine goes on. "Hello, this is Susan Miller of Acme" takes 2 s, the shortest usual
 * announcement 3 s; the media engine tells of a pause after half a second of it, which is part of these figures.
 */
export const greetingTimes = {
  /** Who says nothing waits for the caller to speak. */
  silentMs: 2_000,
  /** Talk without a pause for so long is an announcement. */
  longMs: 2_900,
  /** So long after the engine has told of a pause it was the end of a hello: a second of silence in all. */
  pauseMs: 500,
} as const;

export const nothingHeard: Greeting = { since: null, isTalking: false, isLong: false };

/** What is known after a change of voice, and when to decide; undefined where nothing has changed. */
export function heardVoice(
  { since: begun, isTalking, isLong }: Greeting,
  speaking: boolean,
  now: Instant,
): { readonly greeting: Greeting; readonly decideAt: Instant } | undefined {
  // The engine begins with a word of who says nothing.
  if (isLong || speaking === isTalking) return undefined;
  if (!speaking) {
    return {
      greeting: { since: begun, isTalking: false, isLong: false },
      decideAt: now + greetingTimes.pauseMs,
    };
  }
  // Pauses within an announcement are part of it.
  const since = begun ?? now;
  return {
    greeting: { since, isTalking: true, isLong: false },
    decideAt: Math.max(now, since + greetingTimes.longMs),
  };
}
