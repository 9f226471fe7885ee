import type { PlayNotice, PlayOrder, SoundDocument } from './domain/play-order.ts';

/**
 * Sounds that phones hear: files of customers, speech, built-in sounds. A play is a session of its own: it loads each item
 * during the item before, plays them one after another, and notifies its owner of its end.
 */
export interface Sounds {
  /** Each kind of owner registers its listener once. */
  ownedBy(kind: string, notify: (owner: string, notice: PlayNotice) => void): void;
  /** Begins to play; problems arrive in the notice. Throws when a play with the same name is alive. */
  play(order: PlayOrder): void;
  /** Ends it at once; `play-over` comes with `stopped`. Without effect on a play that is over. */
  stop(play: string): void;
}

/** Reads an answer that is no audio. Never throws; the cost is linear in the bytes. */
export type ReadSoundDocument = (bytes: Uint8Array) => SoundDocument | { readonly sentence: string };
