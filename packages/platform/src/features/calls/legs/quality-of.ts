import { estimatedMos } from '@jackfield/contract/estimated-mos';
import type { LegStatistics } from '@jackfield/ports';
import type { LegQuality } from '../domain/leg-quality.ts';

/** From the counters of a leg; null when no audio was ever agreed on. */
export function qualityOf(media: LegStatistics | undefined): LegQuality | null {
  const { codec, protection, roundTripMs, remoteFractionLost } = media ?? {};
  if (media === undefined || codec === undefined) return null;
  return {
    codec,
    suite: protection ?? null,
    packetsReceived: media.packetsReceived,
    // RFC 3550: duplicates make the count of lost packets negative.
    packetsLost: Math.max(0, media.packetsLost),
    packetsSent: media.packetsSent,
    jitterMs: rounded(media.jitterMs),
    framesConcealed: media.framesConcealed,
    roundTripMs: roundTripMs === undefined ? null : rounded(roundTripMs),
    remoteLossPercent: remoteFractionLost === undefined ? null : rounded(100 * remoteFractionLost),
    mos: estimatedMos(media) ?? null,
  };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
