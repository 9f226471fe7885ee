/**
 * Estimated mean opinion score, 1 to 4.5: the E-model (ITU-T G.107) with all parameters at their defaults but loss and delay, the same
 * formula as the server's (`packages/media/src/engine/listening-quality.ts`), which a browser cannot import; a test compares them.
 */
export function estimatedMos(lossPercent: number, jitterMs: number, roundTripMs: number): number {
  // The depth of a jitter buffer is about twice the mean deviation; a packet has 20 ms.
  const delayMs = roundTripMs / 2 + 2 * jitterMs + 20;
  const delayImpairment = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - 177.3);
  const lossImpairment = (95 * lossPercent) / (lossPercent + 25.1);
  const rating = Math.max(0, Math.min(100, 93.2 - delayImpairment - lossImpairment));
  const score = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6;
  return Math.round(Math.max(1, score) * 100) / 100;
}
