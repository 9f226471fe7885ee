/** The media engine says that a caller is silent when it has heard nothing for so long (ports/media.ts, `voice`). */
const noticedAfterMs = 500;

/** What is left of a silence of `wantedMs` when the notice of it arrives; the first notice of a watch tells how it is now. */
export function silenceAfter(wantedMs: number, hasHeard: boolean): number {
  return hasHeard ? Math.max(0, wantedMs - noticedAfterMs) : wantedMs;
}
