/** What is known of a received stream at its end. */
export interface ReceivedQuality {
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly jitterMs: number;
  /** From RTCP; the far side's part of the delay counts as nothing where it has never reported. */
  readonly roundTripMs?: number | undefined;
}

/** ITU-T G.107 §7.7: the rating where all parameters have their default values and nothing is lost or late. */
const BEST_RATING = 93.2;
/** ITU-T G.113 Appendix I: robustness of G.711 with concealment against random loss. */
const ROBUSTNESS = 25.1;
/** A packet, and what a mix adds on the way. */
const PACKET_MS = 20;
/** From here on delay disturbs a conversation (G.107, simplified to two straight lines). */
const DISTURBING_MS = 177.3;

/**
 * Estimated mean opinion score of what was received, 1 to 4.5, by the E-model (ITU-T G.107) with everything at its default but
 * loss and delay; undefined where nothing came. On the scale of telephones, whatever the codec.
 */
export function estimatedMos(quality: ReceivedQuality): number | undefined {
  const { packetsReceived, packetsLost, jitterMs, roundTripMs = 0 } = quality;
  if (packetsReceived <= 0) return undefined;
  const lost = Math.max(0, packetsLost);
  const lossPercent = (100 * lost) / (lost + packetsReceived);
  // The jitter buffer keeps about twice the mean deviation.
  const delayMs = roundTripMs / 2 + 2 * jitterMs + PACKET_MS;
  const delayImpairment = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - DISTURBING_MS);
  const lossImpairment = (95 * lossPercent) / (lossPercent + ROBUSTNESS);
  const rating = Math.max(0, Math.min(100, BEST_RATING - delayImpairment - lossImpairment));
  // G.107 Annex B.
  const score = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6;
  return Math.round(Math.max(1, score) * 100) / 100;
}
