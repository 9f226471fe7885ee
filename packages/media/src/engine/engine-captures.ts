import type { TakeCaptured } from '../capture/capture.ts';
import { type Captures, type CapturesDeps, createCaptures } from '../capture/captures.ts';
import type { EngineLimits } from './engine-limits.ts';

/** The parts of an engine that its captures need. */
export interface EngineCapturesDeps extends Pick<CapturesDeps, 'phases' | 'frameSamplesFor' | 'attach'> {
  readonly limits: EngineLimits;
  readonly captured: TakeCaptured | undefined;
}

/** The captures of an engine, within its limits; without a receiver there are none. */
export function createEngineCaptures({ limits, captured, ...deps }: EngineCapturesDeps): Captures {
  return createCaptures({
    ...deps,
    chunkFrames: Math.max(1, Math.round(limits.captureChunkMs / 20)),
    mostCaptures: captured === undefined ? 0 : limits.captures,
    mostTaps: limits.taps,
    mostTracks: limits.tracksPerCapture,
    mostLegs: 2 * limits.membersPerMix,
    take: (...chunk) => captured?.(...chunk),
  });
}
