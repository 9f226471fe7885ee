import {
  createSrtpReceiver,
  restoreSrtpReceiver,
  resumeSrtpReceiver,
  type SavedSrtpReceiver,
  type SrtpCounters,
  type SrtpReceiver,
} from '../rtp/srtp-receiver.ts';
import { createSrtpSender, type SavedSrtpSender, type SrtpSender } from '../rtp/srtp-sender.ts';
import { masterBytes, type SrtpCiphers, type SrtpSuiteName, srtpSuites } from '../rtp/srtp-suite.ts';
import type { AgreedKeys, AgreedMedia } from './commands.ts';

/** The SRTP of a leg, both ways. */
export interface LegProtection {
  readonly agreed: AgreedKeys;
  readonly sender: SrtpSender;
  readonly receiver: SrtpReceiver;
}

interface Kept<Direction> {
  readonly suite: SrtpSuiteName;
  readonly key: Uint8Array;
  readonly direction: Direction;
}

/**
 * All keys that the leg has used. A forked call may agree with one phone, then another, then the first again, with or
 * without SRTP; a key must never restart its packet index (RFC 3711 §9.1).
 */
export interface LegKeys {
  readonly senders: Kept<SrtpSender>[];
  readonly receivers: Kept<SrtpReceiver>[];
}

/** A limit against abuse: a call seldom has more than a few send keys, and each must be remembered. */
const mostSendKeys = 256;
/** Each description of the other side may bring a new key. Only the latest are remembered. */
const mostReceiveKeys = 16;

/** The keys of a leg without an agreement. */
export function createLegKeys(): LegKeys {
  return { senders: [], receivers: [] };
}

/**
 * Whether the agreed SRTP is possible. Where it is not, the leg is not connected: it never falls back to plain RTP. Keys from a handshake
 * are checked when they are there.
 */
export function canProtect(
  protection: AgreedMedia['protection'],
  ciphers: SrtpCiphers | undefined,
  { senders }: LegKeys,
): boolean {
  if (protection === undefined) return true;
  if (protection.by === 'dtls') return ciphers !== undefined;
  // The value may come from another thread, which does not enforce the type.
  const suite = srtpSuites[protection.suite] as (typeof srtpSuites)[SrtpSuiteName] | undefined;
  if (suite === undefined || ciphers === undefined) return false;
  const length = masterBytes(suite);
  if (protection.sendKey.length !== length || protection.receiveKey.length !== length) return false;
  return senders.length < mostSendKeys || kept(senders, protection.suite, protection.sendKey) !== undefined;
}

/** The protection from now on. A key that stays or returns continues its packet index. */
export function protectionOf(
  before: LegProtection | undefined,
  agreed: AgreedKeys | undefined,
  ciphers: SrtpCiphers | undefined,
  counters: SrtpCounters,
  { senders, receivers }: LegKeys,
): LegProtection | undefined {
  if (agreed === undefined || ciphers === undefined) return undefined;
  const { suite, sendKey, receiveKey } = agreed;
  let sender = kept(senders, suite, sendKey);
  if (sender === undefined) {
    sender = createSrtpSender(ciphers, { suite, keyAndSalt: sendKey });
    senders.push({ suite, key: sendKey.slice(), direction: sender });
  }
  let receiver = kept(receivers, suite, receiveKey);
  if (receiver === undefined) {
    receiver = createSrtpReceiver(ciphers, { suite, keyAndSalt: receiveKey }, counters, before?.receiver);
    if (receivers.length === mostReceiveKeys) dropOldest(receivers, before?.receiver);
    receivers.push({ suite, key: receiveKey.slice(), direction: receiver });
  } else if (before !== undefined) resumeSrtpReceiver(receiver, before.receiver);
  return { agreed, sender, receiver };
}

/** All keys of a leg with their packet indexes, as plain data. */
export interface SavedLegKeys {
  readonly senders: readonly SavedKey<SavedSrtpSender>[];
  readonly receivers: readonly SavedKey<SavedSrtpReceiver>[];
  /** Position of the receiver whose packets are accepted until the first one under the key in use; −1 for none. */
  readonly before: number;
}

interface SavedKey<State> {
  readonly suite: SrtpSuiteName;
  readonly key: Uint8Array;
  readonly state: State;
}

/** The keys of a leg that another engine continues. */
export function saveKeys({ senders, receivers }: LegKeys, inUse: LegProtection | undefined): SavedLegKeys {
  return {
    senders: senders.map(({ suite, key, direction }) => ({ suite, key, state: direction.save() })),
    receivers: receivers.map(({ suite, key, direction }) => ({ suite, key, state: direction.save() })),
    before: receivers.findIndex(({ direction }) => direction === inUse?.receiver.before),
  };
}

/** Fills the keys of a new leg with saved ones. The agreement, which follows, finds its key among them. */
export function restoreKeys(
  { senders, receivers }: LegKeys,
  saved: SavedLegKeys,
  ciphers: SrtpCiphers,
  counters: SrtpCounters,
): void {
  for (const { suite, key, state } of saved.senders) {
    const direction = createSrtpSender(ciphers, { suite, keyAndSalt: key }, state);
    senders.push({ suite, key, direction });
  }
  for (const { suite, key, state } of saved.receivers) {
    const direction = restoreSrtpReceiver(ciphers, { suite, keyAndSalt: key }, counters, state);
    receivers.push({ suite, key, direction });
  }
}

/** Frees the ciphers of all keys: the leg ends. */
export function closeKeys({ senders, receivers }: LegKeys): void {
  for (const { direction } of senders) direction.close();
  for (const { direction } of receivers) direction.close();
  senders.length = 0;
  receivers.length = 0;
}

/** Packets under the key in use are accepted until the first one under the next key, so that key stays. */
function dropOldest(receivers: Kept<SrtpReceiver>[], inUse: SrtpReceiver | undefined): void {
  const oldest = receivers.findIndex(({ direction }) => direction !== inUse);
  receivers.splice(oldest, 1)[0]!.direction.close();
}

function kept<Direction>(
  keys: readonly Kept<Direction>[],
  suite: SrtpSuiteName,
  key: Uint8Array,
): Direction | undefined {
  return keys.find((each) => each.suite === suite && isSameKey(each.key, key))?.direction;
}

function isSameKey(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}
