import { timestampDistance } from '../rtp/serial-number.ts';
import type { Leg } from './leg.ts';

const FRAME_MS = 20;

/**
 * Discards the audio of frames in which the leg had no turn, so that its delay after a stall is that before it. What
 * the jitter buffer has dropped by itself counts; audio that has not arrived is not waited for.
 */
export function discardMissed(leg: Leg, frames: number, nowMs: number): void {
  const { jitter, source, units } = leg;
  if (!leg.listens || !jitter.isPlaying) return;
  const due = (leg.playedTo + frames * units) >>> 0;
  const missed = Math.round(timestampDistance(jitter.position, due) / units);
  // Not decoded: no leg will hear these frames, and the thread is late already.
  jitter.isUnheard = true;
  for (let n = Math.min(missed, frames); n > 0 && jitter.depthMs >= FRAME_MS; n--) {
    jitter.take(source.frame, nowMs);
    source.active = false;
  }
  jitter.isUnheard = leg.relayOut?.isOpen === true;
}
