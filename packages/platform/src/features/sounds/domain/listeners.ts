/** The engine's ticks and the two threads may differ by this much. */
const toleranceMs = 100;
/** The system may adjust its clock slowly while a long sound plays. */
const toleranceShare = 0.02;
/** Every built-in sound of unknown length is longer. */
const shortestMs = 200;

/**
 * The media engine sends `play-ended` at the end of a sound, when its last listener has left, and when it could not play it.
 * Only the time distinguishes them: a sound that ended before its end has no listeners, and neither has the next one.
 */
export function endsTooEarly(elapsedMs: number, durationMs: number | undefined): boolean {
  if (durationMs === undefined) return elapsedMs < shortestMs;
  if (durationMs === Number.POSITIVE_INFINITY) return true;
  const tolerance = Math.min(toleranceMs + durationMs * toleranceShare, durationMs / 2);
  return elapsedMs < durationMs - tolerance;
}
