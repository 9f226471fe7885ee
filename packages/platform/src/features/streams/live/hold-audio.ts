import type { Sounds } from '../../sounds/index.ts';
import type { StreamSettings } from '../domain/stream.ts';

/** Hold audio of streams is owned under this name; the owner's id is the stream. */
export const holdOwnerKind = 'stream';

/** The music that listeners hear while a stream has lost its server. */
export interface HoldAudio {
  start(order: StreamSettings, hearers: readonly string[]): void;
  end(stream: string): void;
}

/** Plays hold music, at most once at a time for each stream. */
export function createHoldAudio(sounds: Sounds): HoldAudio {
  const plays = new Map<string, string>();
  let count = 0;
  // Hold audio has no end of its own: its notices are ignored.
  sounds.ownedBy(holdOwnerKind, () => {});
  return {
    start({ stream, account, mainAccount }, to) {
      if (to.length === 0) return;
      const play = `${stream}/hold-${++count}`;
      plays.set(stream, play);
      const items = [{ kind: 'built-in', sound: { kind: 'hold-music' }, loop: 0 }] as const;
      const owner = { kind: holdOwnerKind, id: stream };
      sounds.play({ play, owner, to, items, loop: 0, account, mainAccount });
    },
    end(stream) {
      const play = plays.get(stream);
      plays.delete(stream);
      if (play !== undefined) sounds.stop(play);
    },
  };
}
