import type { SavedDigits } from '../codec/digit-receiver.ts';
import type { SavedKeys } from '../codec/digit-sender.ts';
import type { SavedLatch } from '../rtp/latch.ts';
import { createReceiverStatistics, type SavedStatistics } from '../rtp/receiver-statistics.ts';
import { createRtpSender, type RtpSenderOptions } from '../rtp/rtp-sender.ts';
import { resumeSrtpReceiver, type SrtpCounters } from '../rtp/srtp-receiver.ts';
import type { SrtpCiphers } from '../rtp/srtp-suite.ts';
import type { AgreedKeys, AgreedMedia } from './commands.ts';
import type { Leg, PastCounters } from './leg.ts';
import { restoreKeys, type SavedLegKeys, saveKeys } from './leg-protection.ts';

/**
 * A leg as plain data: all that the other side could notice, so that another engine continues its streams without a new agreement. Audio
 * that waits to be played is not part of it: the jitter buffer starts anew.
 */
export interface LegState {
  readonly leg: string;
  /** When the leg left its engine. */
  readonly leftMs: number;
  readonly isVoiceWatched: boolean;
  readonly reportedVoice: boolean | undefined;
  readonly isAnswerWatched: boolean;
  /** Undefined for a leg without an agreement. */
  readonly connected: ConnectedState | undefined;
}

interface ConnectedState {
  readonly agreed: AgreedMedia;
  readonly keys: SavedLegKeys;
  /** The keys of a handshake that is over. */
  readonly secured: AgreedKeys | undefined;
  readonly unprotected: SrtpCounters;
  readonly latch: SavedLatch;
  readonly rtp: RtpSenderOptions;
  readonly received: SavedStatistics;
  readonly past: PastCounters;
  readonly digitsIn: SavedDigits;
  readonly digitsOut: SavedKeys;
  readonly values: Pick<Leg, (typeof values)[number]>;
}

/** The fields that move unchanged. */
const values = [
  'pressesKeys',
  'keyMs',
  'keyRelayedMs',
  'signalledAddress',
  'signalledPort',
  'toAddress',
  'toPort',
  'toReportPort',
  'heardMs',
  'silenceReported',
  'reportDueMs',
  'hasReported',
  'packetsReceived',
  'bytesReceived',
  'strangers',
  'malformed',
  'digitsReceived',
  'digitsSent',
  'roundTripMs',
  'remoteFractionLost',
] as const satisfies readonly (keyof Leg)[];

/** The state of a leg that leaves its engine. */
export function saveLeg(leg: Leg, nowMs: number): LegState {
  const { agreed, jitter, past, protection } = leg;
  // Frames that wait for the rest of their packet are dropped, but their time counts.
  if (leg.pendingFrames > 0) leg.rtp.skip(leg.pendingFrames * leg.units);
  const secured = agreed?.protection?.by === 'dtls' && !leg.awaitsKeys ? protection?.agreed : undefined;
  const connected = agreed && {
    agreed,
    keys: saveKeys(leg.keys, protection),
    secured,
    unprotected: leg.unprotected,
    latch: leg.latch.save(),
    rtp: leg.rtp.save(),
    received: leg.received.save(),
    past: {
      ...past,
      lost: past.lost + jitter.counters.lost,
      concealedFrames: past.concealedFrames + jitter.counters.concealedFrames,
      late: past.late + jitter.counters.late,
    },
    digitsIn: leg.digitsIn.save(),
    digitsOut: leg.digitsOut.save(),
    values: Object.fromEntries(values.map((name) => [name, leg[name]])) as ConnectedState['values'],
  };
  return {
    leg: leg.name,
    leftMs: nowMs,
    isVoiceWatched: leg.voice !== undefined,
    reportedVoice: leg.reportedVoice,
    isAnswerWatched: leg.answer !== undefined,
    connected,
  };
}

/** The state of a leg whose packets take another way in its next engine: `agreed` names the address that it sends to. */
export function redirectLeg(state: LegState, agreed: (before: AgreedMedia) => AgreedMedia): LegState {
  if (state.connected === undefined) return state;
  const next = agreed(state.connected.agreed);
  const { address, port } = next;
  const to = { signalledAddress: address, signalledPort: port, toAddress: address, toPort: port };
  const connected = { ...state.connected, agreed: next, values: { ...state.connected.values, ...to } };
  return { ...state, connected };
}

/** To be called before the agreement is applied to the new leg, which has to find its keys. */
export function prepareLeg(leg: Leg, state: ConnectedState, ciphers: SrtpCiphers | undefined): void {
  Object.assign(leg.unprotected, state.unprotected);
  if (ciphers !== undefined) restoreKeys(leg.keys, state.keys, ciphers, leg.unprotected);
}

/** To be called after the agreement was applied: continues the streams. The frames that were missed meanwhile count as silence. */
export function restoreLeg(leg: Leg, state: ConnectedState, missedFrames: number): void {
  Object.assign(leg, state.values);
  leg.past = { ...state.past };
  leg.latch.restore(state.latch);
  leg.rtp = createRtpSender({ ...state.rtp, packet: leg.options.packet });
  if (missedFrames > 0) leg.rtp.skip(missedFrames * leg.units);
  leg.received = createReceiverStatistics(leg.codec.clockRate, state.received);
  leg.digitsIn.restore(state.digitsIn);
  leg.digitsOut.restore(state.digitsOut);
  const before = leg.keys.receivers[state.keys.before]?.direction;
  if (before !== undefined && leg.protection !== undefined)
    resumeSrtpReceiver(leg.protection.receiver, before);
}
