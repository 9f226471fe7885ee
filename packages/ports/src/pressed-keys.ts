import type { Instant } from './machine.ts';

/** The transport of a key: RTP events (RFC 4733), or signalling (SIP INFO). */
export type KeySource = 'event' | 'info';

/** A key that a phone has pressed, and when. */
export interface PressedKey {
  readonly digit: string;
  readonly as: KeySource;
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * A phone that sends its keys both ways repeats a key within this time: signalling has its own path and retransmissions
 * (RFC 3261 §17.1.2.2 repeats after 0.5 and 1 s), and some phones send INFO at the beginning and others at the end of the key.
 */
const togetherMs = 2000;

/** The most keys that wait for their copy; a phone with one transport never sends the copies. */
const mostKeys = 32;

/**
 * The keys whose copy may still come by the other transport, this one included; `isNew` is false for the copy of an earlier key. Each key
 * matches one copy, the oldest first, so that 1 1 by both transports is 1 1.
 */
export function withKey(
  before: readonly PressedKey[],
  key: PressedKey,
): { readonly keys: readonly PressedKey[]; readonly isNew: boolean } {
  const recent = before.filter(({ until }) => key.from - until <= togetherMs);
  const other = recent.findIndex(({ digit, as }) => digit === key.digit && as !== key.as);
  if (other >= 0) return { keys: recent.toSpliced(other, 1), isNew: false };
  return { keys: [...recent, key].slice(-mostKeys), isNew: true };
}
