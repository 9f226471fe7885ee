import {
  createSrtpReceiver,
  resumeSrtpReceiver,
  type SrtpCounters,
  type SrtpReceiver,
} from '../rtp/srtp-receiver.ts';
import { createSrtpSender, type SrtpSender } from '../rtp/srtp-sender.ts';
import { type SrtpCiphers, type SrtpSuiteName, srtpSaltBytes, srtpSuites } from '../rtp/srtp-suite.ts';
import type { AgreedMedia, AgreedProtection } from './commands.ts';

/** SRTP of a leg, both ways. */
export interface LegProtection {
  readonly agreed: AgreedProtection;
  readonly sender: SrtpSender;
  readonly receiver: SrtpReceiver;
}

interface Kept<Direction> {
  readonly suite: SrtpSuiteName;
  readonly key: Uint8Array;
  readonly direction: Direction;
}

/**
 * The keys of a leg, also those that it has left: a call that was forked agrees with one phone and another and again with the first, with or
 * without SRTP between, and no key may begin to count anew (RFC 3711 §9.1).
 */
export interface LegKeys {
  readonly senders: Kept<SrtpSender>[];
  readonly receivers: Kept<SrtpReceiver>[];
}

/** Our keys are as many as suites were left: nobody has a reason for more in one call, and none of them may be forgotten. */
const mostSendKeys = 256;
/** Those of the other side may be new in each description; of the ones that were left, the latest are remembered. */
const mostReceiveKeys = 16;

/** No key was agreed on yet. */
export function createLegKeys(): LegKeys {
  return { senders: [], receivers: [] };
}

/** Whether media can be protected as agreed on. Where it cannot, the leg is not connected at all: it never falls back to the clear. */
export function canProtect(
  { protection }: AgreedMedia,
  ciphers: SrtpCiphers | undefined,
  { senders }: LegKeys,
): boolean {
  if (protection === undefined) return true;
  // It may come from another thread, so its type is a promise only.
  const suite = srtpSuites[protection.suite] as (typeof srtpSuites)[SrtpSuiteName] | undefined;
  if (suite === undefined || ciphers === undefined) return false;
  const length = suite.keyBytes + srtpSaltBytes;
  if (protection.sendKey.length !== length || protection.receiveKey.length !== length) return false;
  return senders.length < mostSendKeys || kept(senders, protection.suite, protection.sendKey) !== undefined;
}

/** What protects the leg from now on; a direction whose key stays, or comes back, goes on counting. */
export function protectionOf(
  before: LegProtection | undefined,
  agreed: AgreedProtection | undefined,
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
    if (receivers.length === mostReceiveKeys) receivers.shift();
    receivers.push({ suite, key: receiveKey.slice(), direction: receiver });
  } else if (before !== undefined) resumeSrtpReceiver(receiver, before.receiver);
  return { agreed, sender, receiver };
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
