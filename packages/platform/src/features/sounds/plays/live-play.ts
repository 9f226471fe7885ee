import type { PlayOrder } from '../domain/play-order.ts';
import type { LoadedSound } from '../sources/sound-sources.ts';

export interface LivePlay {
  readonly session: string;
  readonly order: PlayOrder;
  readonly mix: string;
  readonly loads: Map<number, LiveLoad>;
  /** It says nothing more, also where its end is still on its way. */
  isStopped: boolean;
}

export interface LiveLoad {
  readonly stop: AbortController;
  loaded?: LoadedSound;
}

/** Mixes of plays begin with it. */
export const mixPrefix = 'play/';
/** Beside the numbers of sounds. */
export const watchKey = 'listeners';
