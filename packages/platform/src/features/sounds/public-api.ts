import type { PlayNotice, PlayOrder, SoundDocument } from './domain/play-order.ts';

/**
 * Sounds that phones hear: files of customers, speech, built-in ones. A play is a live thing of its own: it loads its items
 * one ahead of the other, plays them one after another, and tells its owner when it is over.
 */
export interface Sounds {
  /** Each kind of owner registers once how it is told. */
  ownedBy(kind: string, tell: (owner: string, notice: PlayNotice) => void): void;
  /** Begins to play; whatever goes wrong arrives in the notice. A second play with the same name is refused by throwing. */
  play(order: PlayOrder): void;
  /** Ends it at once; `play-over` comes with `stopped`. Nothing for one that is over. */
  stop(play: string): void;
}

/** Reads what is behind a URL and is no audio. Never throws; the cost is linear in the bytes. */
export type ReadSoundDocument = (bytes: Uint8Array) => SoundDocument | { readonly sentence: string };
