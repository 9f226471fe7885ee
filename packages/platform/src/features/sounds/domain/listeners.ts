/** The engine's ticks and the two threads may be this much apart. */
const toleranceMs = 100;
/** Clocks are set, slowly, while a long sound plays. */
const toleranceShare = 0.02;
/** No built-in sound of unknown length is as short as this. */
const shortestMs = 200;

/**
 * The media engine tells that a sound has ended when it has, when the last listener is gone, and when it could not play it
 * at all. Only the time tells them apart: what ended sooner than it can has nobody who hears the next one either.
 */
export function endsTooEarly(elapsedMs: number, durationMs: number | undefined): boolean {
  if (durationMs === undefined) return elapsedMs < shortestMs;
  if (durationMs === Number.POSITIVE_INFINITY) return true;
  const tolerance = Math.min(toleranceMs + durationMs * toleranceShare, durationMs / 2);
  return elapsedMs < durationMs - tolerance;
}
