import { estimatedMos } from '@jackfield/contract/estimated-mos';

/** Counters of a call's audio since its beginning, as the browser reports them. */
export interface AudioCounters {
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly packetsSent: number;
  readonly jitterMs: number;
  readonly roundTripMs: number | undefined;
  /** The share of our packets that the server has lost, from its last report. */
  readonly remoteLossPercent: number | undefined;
  /** Levels of the microphone and of the received audio, 0 to 1. */
  readonly inputLevel: number | undefined;
  readonly outputLevel: number | undefined;
  readonly codec: string | undefined;
  /** How the audio travels: `udp`, or `tcp` where the network blocks it. */
  readonly transport: string | undefined;
}

/** The quality of a call's audio in the last five seconds. */
export interface QualitySample
  extends Pick<
    AudioCounters,
    'jitterMs' | 'roundTripMs' | 'remoteLossPercent' | 'inputLevel' | 'outputLevel' | 'codec' | 'transport'
  > {
  readonly at: number;
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly packetsSent: number;
  readonly lossPercent: number;
  /** Estimated mean opinion score of the received audio, 1 to 4.5; undefined when none came. */
  readonly mos: number | undefined;
}

/** The sample between two readings of the counters. */
export function sampleBetween(
  before: AudioCounters | undefined,
  now: AudioCounters,
  at: number,
): QualitySample {
  const packetsReceived = now.packetsReceived - (before?.packetsReceived ?? 0);
  // RFC 3550 §6.4.1: duplicates make the count of lost packets fall.
  const packetsLost = Math.max(0, now.packetsLost - (before?.packetsLost ?? 0));
  const packetsSent = now.packetsSent - (before?.packetsSent ?? 0);
  const expected = packetsReceived + packetsLost;
  const lossPercent = expected === 0 ? 0 : Math.round((1000 * packetsLost) / expected) / 10;
  const { jitterMs, roundTripMs } = now;
  const mos = estimatedMos({ packetsReceived, packetsLost, jitterMs, roundTripMs });
  return { ...now, at, packetsReceived, packetsLost, packetsSent, lossPercent, mos };
}
