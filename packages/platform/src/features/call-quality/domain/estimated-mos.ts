/** Counts of received audio. */
interface ReceivedAudio {
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly jitterMs: number;
  readonly roundTripMs?: number | undefined;
}

/** ITU-T G.107 §7.7: the rating with all parameters at their defaults, without loss and delay. */
const bestRating = 93.2;
/** ITU-T G.113 Appendix I: robustness of G.711 with concealment against random loss. */
const robustness = 25.1;
const packetMs = 20;
/** Above this delay the impairment grows faster (G.107, simplified to two straight lines). */
const disturbingMs = 177.3;

/**
 * The E-model of the media engine, for a part of a call. The platform cannot import the engine; `create-call-quality.test.ts` compares
 * both over a whole call.
 */
export function estimatedMos(audio: ReceivedAudio): number | null {
  const { packetsReceived, packetsLost, jitterMs, roundTripMs = 0 } = audio;
  if (packetsReceived <= 0) return null;
  const lossPercent = (100 * packetsLost) / (packetsLost + packetsReceived);
  const delayMs = roundTripMs / 2 + 2 * jitterMs + packetMs;
  const delayImpairment = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - disturbingMs);
  const lossImpairment = (95 * lossPercent) / (lossPercent + robustness);
  const rating = Math.max(0, Math.min(100, bestRating - delayImpairment - lossImpairment));
  // G.107 Annex B.
  const score = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6;
  return Math.round(Math.max(1, score) * 100) / 100;
}
