/** The media engine reports silence after this long without a voice (ports/media.ts, `voice`). */
const noticedAfterMs = 500;

/** The rest of a silence of `silenceMs` when its notice arrives; the first notice of a watch reports the present state. */
export function silenceAfter(silenceMs: number, hasHeard: boolean): number {
  return hasHeard ? Math.max(0, silenceMs - noticedAfterMs) : silenceMs;
}
