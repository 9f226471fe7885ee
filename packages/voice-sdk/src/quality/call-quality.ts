import { type AudioCounters, type QualitySample, sampleBetween } from './quality-sample.ts';
import { noWarnings, type QualityWarning, stepWarnings, type WarningEffect } from './quality-warnings.ts';

/** A sample as the server accepts it (docs/interface/calls.md#quality-at-the-page). */
export function reportedSample(sample: QualitySample): object {
  const { packetsReceived, packetsLost, packetsSent, jitterMs, roundTripMs, mos, codec, transport } = sample;
  return {
    packets_received: packetsReceived,
    packets_lost: packetsLost,
    packets_sent: packetsSent,
    jitter_ms: jitterMs,
    // JSON leaves undefined fields out.
    round_trip_ms: roundTripMs,
    mos,
    codec,
    transport,
  };
}

/** What a reading of the counters gives. */
export interface Reading {
  readonly sample: QualitySample;
  /** The warnings that begin or end. */
  readonly changes: readonly WarningEffect[];
}

/** The quality of one call. */
export interface CallQuality {
  readonly warnings: readonly QualityWarning[];
  read(
    counters: AudioCounters,
    at: number,
    call: { readonly isSilent: boolean; readonly isHeld: boolean },
  ): Reading;
}

/** Creates the quality of a call that has no sample. */
export function createCallQuality(): CallQuality {
  let before: AudioCounters | undefined;
  let state = noWarnings;
  return {
    get warnings() {
      return state.active;
    },
    read(counters, at, call) {
      const sample = sampleBetween(before, counters, at);
      before = counters;
      const step = stepWarnings(state, { sample, ...call });
      state = step.state;
      return { sample, changes: step.effects };
    },
  };
}
