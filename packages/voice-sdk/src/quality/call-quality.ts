import { type AudioCounters, type QualitySample, sampleBetween } from './quality-sample.ts';
import { noWarnings, type QualityWarning, stepWarnings, type WarningEffect } from './quality-warnings.ts';

/** Samples in one report: half a minute. */
const SAMPLES_IN_REPORT = 6;

/** A sample as the server accepts it (docs/interface/calls.md#quality-at-the-page). */
function reportedSample(sample: QualitySample): object {
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
  /** Adds a sample to the next report; returns that as the content of an INFO when it is full. */
  report(sample: QualitySample): { readonly body: string; readonly contentType: string } | undefined;
}

/** Creates the quality of a call that has no sample. */
export function createCallQuality(): CallQuality {
  let before: AudioCounters | undefined;
  let state = noWarnings;
  let samples: object[] = [];
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
    report(sample) {
      if (samples.push(reportedSample(sample)) < SAMPLES_IN_REPORT) return undefined;
      const body = JSON.stringify({ samples, warnings: state.active });
      samples = [];
      return { body, contentType: 'application/vnd.jackfield.call-quality+json' };
    },
  };
}
