/** Statistics of a received stream, or of a part of it. */
export interface ReceivedAudio {
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly jitterMs: number;
  /** From RTCP; undefined when the other side has sent no report. */
  readonly roundTripMs?: number | undefined;
}

/** ITU-T G.107 §7.7: the rating with all parameters at their defaults, without loss and delay. */
const bestRating = 93.2;
/** ITU-T G.113 Appendix I: robustness of G.711 with concealment against random loss. */
const robustness = 25.1;
/** Length of a packet, which is also the delay of a mix. */
const packetMs = 20;
/** Above this delay the impairment grows faster (two straight lines in place of the curve of G.107). */
const disturbingMs = 177.3;

/**
 * Estimated mean opinion score of the received audio, 1 to 4.5: the E-model (ITU-T G.107) with all parameters at their defaults but loss and
 * delay. Undefined when nothing was received. The scale is narrowband for every codec. Servers and pages score with this one.
 */
export function estimatedMos(audio: ReceivedAudio): number | undefined {
  const { packetsReceived, packetsLost, jitterMs, roundTripMs = 0 } = audio;
  if (packetsReceived <= 0) return undefined;
  const lost = Math.max(0, packetsLost);
  const lossPercent = (100 * lost) / (lost + packetsReceived);
  // The depth of the jitter buffer is about twice the mean deviation.
  const delayMs = roundTripMs / 2 + 2 * jitterMs + packetMs;
  const delayImpairment = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - disturbingMs);
  const lossImpairment = (95 * lossPercent) / (lossPercent + robustness);
  const rating = Math.max(0, Math.min(100, bestRating - delayImpairment - lossImpairment));
  // G.107 Annex B.
  const score = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6;
  return Math.round(Math.max(1, score) * 100) / 100;
}
