import assert from 'node:assert/strict';
import type { PlayNotice, PlayOrder, Sounds } from '../../sounds/index.ts';

/** The sounds feature as multiparty calls see it; an endless sound lasts until it is stopped. */
export interface ScriptedSounds extends Sounds {
  /** The plays that run now, in the order of beginning. */
  readonly playing: readonly PlayOrder[];
  /** It could not be fetched, or has come to its end. */
  finish(play: string): void;
}

export function createScriptedSounds(): ScriptedSounds {
  const owners = new Map<string, (owner: string, notice: PlayNotice) => void>();
  const playing = new Map<string, PlayOrder>();
  const used = new Set<string>();

  function over(play: string, because: 'finished' | 'stopped'): void {
    const order = playing.get(play);
    if (order === undefined) return;
    playing.delete(play);
    const { kind, id } = order.owner;
    queueMicrotask(() => owners.get(kind)?.(id, { type: 'play-over', play, because, problems: [] }));
  }

  return {
    ownedBy(kind, notify) {
      assert.ok(!owners.has(kind), 'each kind of owner registers once');
      owners.set(kind, notify);
    },
    play(order) {
      assert.ok(!used.has(order.play), 'a play has a name of its own');
      used.add(order.play);
      playing.set(order.play, order);
    },
    stop: (play) => over(play, 'stopped'),
    finish: (play) => over(play, 'finished'),
    get playing() {
      return [...playing.values()];
    },
  };
}
