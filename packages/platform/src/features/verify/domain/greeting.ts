import type { Instant } from '@jackfield/ports';

/** The voice of the callee before the code is spoken. */
export interface Greeting {
  /** The first word; null before it. */
  readonly since: Instant | null;
  readonly isTalking: boolean;
  /** As long as an announcement: the key 1 is requested before the code. */
  readonly isLong: boolean;
}

/**
 * A person says a name and waits; a machine goes on. "Hello, this is Susan Miller of Acme" takes 2 s, the shortest usual
 * announcement 3 s; the media engine reports a pause after half a second, which is part of these figures.
 */
export const greetingTimes = {
  /** A silent callee waits for the caller to speak. */
  silentMs: 2_000,
  /** Longer talk without a pause is an announcement. */
  longMs: 2_900,
  /** After the report of a pause, until the hello counts as ended: a second of silence in all. */
  pauseMs: 500,
} as const;

export const nothingHeard: Greeting = { since: null, isTalking: false, isLong: false };

/** The greeting after a change of voice, and when to decide; undefined where it does not change. */
export function heardVoice(
  { since: begun, isTalking, isLong }: Greeting,
  speaking: boolean,
  now: Instant,
): { readonly greeting: Greeting; readonly decideAt: Instant } | undefined {
  // The engine's first report may be that the callee is silent.
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
