import type { Instant } from './machine.ts';

/** How a key came: as events among the audio (RFC 4733), or in signalling (SIP INFO). */
export type KeySource = 'event' | 'info';

/** A key that a phone has pressed, and when. */
export interface PressedKey {
  readonly digit: string;
  readonly as: KeySource;
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * A phone that sends its keys both ways says the same one twice within this time: signalling has a way and retransmissions of its own
 * (RFC 3261 §17.1.2.2 repeats after 0.5 and 1 s), and some phones send INFO at the beginning and others at the end of the key.
 */
const togetherMs = 2000;

/** So many may wait for their other half; a phone that sends in one way only has no other halves. */
const mostKeys = 32;

/**
 * The keys that may still come in another way, with this one; not `isNew` when it is the other half of an earlier one. Each half is matched
 * once, the oldest first, so that 1 1 both ways is 1 1.
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
