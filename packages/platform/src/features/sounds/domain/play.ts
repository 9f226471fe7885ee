import type { Instant, Sound, TimerFired } from '@jackfield/ports';
import type { KernelEffect, OutboxEvent } from '../../../kernel/kernel-effects.ts';
import type { Place } from './place.ts';
import type { PlayItem, PlayNotice, PlayOrder, SoundDocument } from './play-order.ts';
import type { PlayableSound } from './playable-sound.ts';

/**
 * One play, from its order to its end. What has to be fetched or spoken is loaded while the item before it is heard.
 *
 *   loading ─ item-loaded ─▶ sounding ─ sound-ended ─┐        any ─ stopped, length, last item ─▶ over
 *      ▲  ╲─ item-failed ─▶ next item                │
 *      └──────────────────── silent ◀────────────────┘
 */
export interface Play {
  readonly phase: 'loading' | 'sounding' | 'silent' | 'over';
  readonly order: PlayOrder;
  /** What is heard, or will be next. */
  readonly place: Place;
  /** Of what is heard and of what follows. */
  readonly loads: ReadonlyMap<number, Load>;
  /** Loads and sounds are numbered, so that late news of former ones are known. */
  readonly counter: number;
  /** Number and begin of the sound that is heard. */
  readonly sound: number;
  readonly soundBeganAt: Instant;
  readonly hasBegun: boolean;
  /** Told to the owner: a silence in front is no sound. */
  readonly isHeard: boolean;
  readonly round: Round;
  readonly problems: readonly { readonly item: number; readonly sentence: string }[];
}

/** What became of the items of this round: one that plays nothing must not be repeated for ever. */
export interface Round {
  readonly beganAt: Instant;
  readonly hasPlayed: boolean;
  readonly hasFailed: boolean;
}

export type Load =
  | { readonly is: 'loading'; readonly load: number }
  | { readonly is: 'loaded'; readonly load: number; readonly playable: PlayableSound }
  | { readonly is: 'failed'; readonly at: Instant };

export type PlayInput =
  | { readonly type: 'ordered' }
  | { readonly type: 'item-loaded'; readonly load: number; readonly playable: PlayableSound }
  /** What was to be loaded is no sound, but says which are. */
  | {
      readonly type: 'item-unfolded';
      readonly load: number;
      readonly document: SoundDocument;
      readonly isTold?: boolean;
    }
  /** `isTold`: the feed has it already, from another play of the same whole. */
  | {
      readonly type: 'item-failed';
      readonly load: number;
      readonly sentence: string;
      readonly isTold?: boolean;
    }
  | { readonly type: 'sound-ended'; readonly sound: number }
  /** Told once after `watch-listeners`. */
  | { readonly type: 'listeners-gone' }
  | { readonly type: 'stopped' }
  | TimerFired;

export type PlayEffect =
  | { readonly do: 'open-mix' }
  | { readonly do: 'close-mix' }
  /** Whoever hears the last of an endless play may be gone in a moment in which nothing is played. */
  | { readonly do: 'watch-listeners' }
  /** Its outcome comes back as `item-loaded`, `item-unfolded` or `item-failed`; `unload` gives it up or back. */
  | { readonly do: 'load'; readonly load: number; readonly index: number; readonly item: PlayItem }
  | { readonly do: 'unload'; readonly load: number }
  | { readonly do: 'sound'; readonly number: number; readonly sound: Sound; readonly loop: boolean }
  | { readonly do: 'stop-sound'; readonly number: number }
  | { readonly do: 'tell'; readonly notice: PlayNotice }
  | KernelEffect<OutboxEvent>;

export function newPlay(order: PlayOrder): Play {
  return {
    phase: 'loading',
    order,
    place: { round: 0, item: 0, repeat: 0 },
    loads: new Map(),
    counter: 0,
    sound: 0,
    soundBeganAt: 0,
    hasBegun: false,
    isHeard: false,
    round: { beganAt: 0, hasPlayed: false, hasFailed: false },
    problems: [],
  };
}
