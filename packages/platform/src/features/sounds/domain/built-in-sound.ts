import type { Sound } from '@jackfield/ports';
import type { PlayItem } from './play-order.ts';

/** Far below the last bit of 16: inaudible, but a play like any other. */
const silenceDb = -150;

/** Inaudible: its `play-ended` reports that the last listener has left. */
export const listenerWatch: Sound = { kind: 'tone', frequencyHz: 440, levelDb: silenceDb };

/**
 * Undefined for an item that must be loaded first. A silence becomes a tone: it lasts as long as the engine plays it, however busy this
 * process is, and `alone` mutes the rest only while a sound plays.
 */
export function builtInSound(item: PlayItem): Sound | undefined {
  if (item.kind === 'silence') {
    return { kind: 'tone', frequencyHz: 440, levelDb: silenceDb, durationMs: item.durationMs };
  }
  return item.kind === 'built-in' ? item.sound : undefined;
}
