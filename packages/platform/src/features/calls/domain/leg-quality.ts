import type { LegStatistics } from '@jackfield/ports';

/** What the audio of a leg was like, as its record keeps it: what came from the phone, unless it says otherwise. */
export interface LegQuality {
  /** Sent last; the phone may have sent another one of those agreed on. */
  readonly codec: string;
  /** The crypto suite of SRTP at the end; null where media went in the clear. */
  readonly suite: string | null;
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly packetsSent: number;
  readonly jitterMs: number;
  /** Frames of 20 ms that were made up for what came late or never. */
  readonly framesConcealed: number;
  /** From RTCP, as is what the phone has lost of ours; null where it has never reported. */
  readonly roundTripMs: number | null;
  readonly remoteLossPercent: number | null;
  /** Estimated mean opinion score, 1 to 4.5; null where nothing came. */
  readonly mos: number | null;
}

/** Of the counters of a leg; null where no audio was ever agreed on. */
export function qualityOf(media: LegStatistics | undefined): LegQuality | null {
  const { codec, protection, roundTripMs, remoteFractionLost, mos } = media ?? {};
  if (media === undefined || codec === undefined) return null;
  return {
    codec,
    suite: protection ?? null,
    packetsReceived: media.packetsReceived,
    // RFC 3550 counts a packet that came twice as one that was not lost twice over.
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
