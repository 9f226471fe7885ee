import type { LegStatistics } from '@jackfield/ports';

/** Quality of a leg's audio for its record: of the audio from the phone, unless a field says otherwise. */
export interface LegQuality {
  /** Of the last sent packet; the phone may have sent another agreed codec. */
  readonly codec: string;
  /** The crypto suite of SRTP at the end; null without encryption. */
  readonly suite: string | null;
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly packetsSent: number;
  readonly jitterMs: number;
  /** Frames of 20 ms that were concealed for late or lost packets. */
  readonly framesConcealed: number;
  /** From RTCP, like `remoteLossPercent`; null without a report. */
  readonly roundTripMs: number | null;
  readonly remoteLossPercent: number | null;
  /** Estimated mean opinion score, 1 to 4.5; null without received audio. */
  readonly mos: number | null;
}

/** From the counters of a leg; null when no audio was ever agreed on. */
export function qualityOf(media: LegStatistics | undefined): LegQuality | null {
  const { codec, protection, roundTripMs, remoteFractionLost, mos } = media ?? {};
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
    mos: mos ?? null,
  };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
