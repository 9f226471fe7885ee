import type { Sound } from '@jackfield/ports';
import type { PlayItem } from './play-order.ts';

/** A sound that the media engine has, and its duration; undefined where only the engine knows it. */
export interface PlayableSound {
  readonly sound: Sound;
  readonly durationMs?: number;
}

/** Far below the last bit of 16: inaudible, but a play like any other, so `alone` mutes the rest. */
const silenceDb = -150;

/** Inaudible: its `play-ended` reports that the last listener has left. */
export const listenerWatch: Sound = { kind: 'tone', frequencyHz: 440, levelDb: silenceDb };

/** Undefined for an item that must be loaded first. A silence becomes a tone: `alone` mutes the rest only while a sound plays. */
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
