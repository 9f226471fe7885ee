import type { PlayOrder } from '../domain/play-order.ts';
import type { LoadedSound } from '../sources/sound-sources.ts';

export interface LivePlay {
  readonly session: string;
  readonly order: PlayOrder;
  readonly mix: string;
  readonly loads: Map<number, LiveLoad>;
  /** It reports nothing more, even before its end is handled. */
  isStopped: boolean;
}

export interface LiveLoad {
  readonly stop: AbortController;
  loaded?: LoadedSound;
}

/** Of the names of plays' mixes. */
export const mixPrefix = 'play/';
/** The key of the listener watch, beside the numbers of sounds. */
export const watchKey = 'listeners';
