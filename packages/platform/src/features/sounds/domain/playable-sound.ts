import type { Sound } from '@jackfield/ports';
import type { PlayItem } from './play-order.ts';

/** What the media engine can play at once, and how long that takes; undefined where only the engine knows. */
export interface PlayableSound {
  readonly sound: Sound;
  readonly durationMs?: number;
}

/** Far below the last bit of 16: silence that is played, so that nothing else is heard either. */
const silenceDb = -150;

/** Heard by nobody, and missed by nobody but the media engine: it tells when the last listener is gone. */
export const listenerWatch: Sound = { kind: 'tone', frequencyHz: 440, levelDb: silenceDb };

/** Undefined for what has to be loaded first. A silence becomes a sound where its listeners shall hear nothing else. */
export function builtInSound(item: PlayItem): PlayableSound | undefined {
  if (item.kind === 'silence') {
    const { durationMs } = item;
    return { sound: { kind: 'tone', frequencyHz: 440, levelDb: silenceDb, durationMs }, durationMs };
  }
  return item.kind === 'built-in' ? { sound: item.sound } : undefined;
}

export function durationOf(playable: PlayableSound | undefined): number | undefined {
  if (playable === undefined) return undefined;
  const { sound, durationMs } = playable;
  if (durationMs !== undefined) return durationMs;
  // docs/interface/multiparty-calls.md#beeps `beep:1`, `beep:2`: 500 ms each, 200 ms apart.
  if (sound.kind === 'beep') return sound.count === 1 ? 500 : 1_200;
  return sound.kind === 'tone' ? (sound.durationMs ?? Number.POSITIVE_INFINITY) : undefined;
}
