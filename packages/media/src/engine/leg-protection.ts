import { createSrtpReceiver, type SrtpCounters, type SrtpReceiver } from '../rtp/srtp-receiver.ts';
import { createSrtpSender, type SrtpSender } from '../rtp/srtp-sender.ts';
import { type SrtpCiphers, type SrtpSuiteName, srtpSaltBytes, srtpSuites } from '../rtp/srtp-suite.ts';
import type { AgreedMedia, AgreedProtection } from './commands.ts';
import type { Leg } from './leg.ts';
import type { SendPacket } from './send-frame.ts';

/** SRTP of a leg, both ways. */
export interface LegProtection {
  readonly agreed: AgreedProtection;
  readonly sender: SrtpSender;
  readonly receiver: SrtpReceiver;
}

/** Whether media can be protected as agreed on. Where it cannot, the leg is not connected at all: it never falls back to the clear. */
export function canProtect({ protection }: AgreedMedia, ciphers: SrtpCiphers | undefined): boolean {
  if (protection === undefined) return true;
  // It may come from another thread, so its type is a promise only.
  const suite = srtpSuites[protection.suite] as (typeof srtpSuites)[SrtpSuiteName] | undefined;
  if (suite === undefined || ciphers === undefined) return false;
  const length = suite.keyBytes + srtpSaltBytes;
  return protection.sendKey.length === length && protection.receiveKey.length === length;
}

/** What protects the leg from now on; a direction whose key stays goes on counting. */
export function protectionOf(
  before: LegProtection | undefined,
  agreed: AgreedProtection | undefined,
  ciphers: SrtpCiphers | undefined,
  counters: SrtpCounters,
): LegProtection | undefined {
  if (agreed === undefined || ciphers === undefined) return undefined;
  const { suite, sendKey, receiveKey } = agreed;
  const isSameSuite = before?.agreed.suite === suite;
  const keepsSending = isSameSuite && isSameKey(before.agreed.sendKey, sendKey);
  const keepsReceiving = isSameSuite && isSameKey(before.agreed.receiveKey, receiveKey);
  return {
    agreed,
    sender: keepsSending ? before.sender : createSrtpSender(ciphers, { suite, keyAndSalt: sendKey }),
    receiver: keepsReceiving
      ? before.receiver
      : createSrtpReceiver(ciphers, { suite, keyAndSalt: receiveKey }, counters, before?.receiver),
  };
}

/** Sends in the clear or protected, as the leg needs it; packets are protected where they lie. */
export function sendProtected(send: SendPacket, legs: readonly (Leg | undefined)[]): SendPacket {
  return (index, bytes, length, address, port) => {
    const protection = legs[index]?.protection;
    const size = protection === undefined ? length : protection.sender.protect(bytes, length);
    if (size > 0) send(index, bytes, size, address, port);
  };
}

function isSameKey(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}
