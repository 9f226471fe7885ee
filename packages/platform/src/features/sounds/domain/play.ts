import type { Instant, PlayEnd, Sound, TimerFired } from '@jackfield/ports';
import type { KernelEffect, OutboxEvent } from '../../../kernel/kernel-effects.ts';
import type {
  PlayItem,
  PlayNotice,
  PlayOrder,
  PlayProblem,
  SoundDocument,
  SoundProblemCode,
} from './play-order.ts';
import type { PlayPosition } from './play-position.ts';

/**
 * One play, from its order to its end. Files and speech are loaded while the item before them is heard, and given to the media engine before
 * its end: what is heard between two items is not the time that a busy process needs to answer.
 *
 *   loading ─ item-loaded ─▶ sounding ─ sound-ended ─▶ next item        any ─ stopped, length, last item ─▶ over
 *      ▲  ╲─ item-failed ─▶ next item
 *      └──── not loaded ────────┘
 */
export interface Play {
  readonly phase: 'loading' | 'sounding' | 'over';
  readonly order: PlayOrder;
  /** Of the item that is heard, or is heard next. */
  readonly position: PlayPosition;
  /** Of the current item and the next one. */
  readonly loads: ReadonlyMap<number, Load>;
  /** Numbers loads and sounds, so that a late outcome of a former one is recognised. */
  readonly counter: number;
  /** Number of the current sound. */
  readonly sound: number;
  /** Number of the sound of the next position, which the media engine has already and begins by itself, if it did not refuse it. */
  readonly nextSound: number | 'refused' | undefined;
  readonly hasBegun: boolean;
  /** The owner has its `play-begun`: a silence in front is no sound. */
  readonly isHeard: boolean;
  readonly round: Round;
  readonly problems: readonly PlayProblem[];
}

/** Outcomes of the items of this round: a round without a sound must not be repeated for ever. */
export interface Round {
  readonly beganAt: Instant;
  readonly hasPlayed: boolean;
  readonly hasFailed: boolean;
}

export type Load =
  | { readonly is: 'loading'; readonly load: number }
  | { readonly is: 'loaded'; readonly load: number; readonly sound: Sound }
  | { readonly is: 'failed'; readonly at: Instant };

export type PlayInput =
  | { readonly type: 'ordered' }
  | { readonly type: 'item-loaded'; readonly load: number; readonly sound: Sound }
  /** The item led to a document, which names the sounds. */
  | {
      readonly type: 'item-unfolded';
      readonly load: number;
      readonly document: SoundDocument;
      readonly isReported?: boolean;
    }
  /** `isReported`: the event stream has it already, from another part of the same play. */
  | {
      readonly type: 'item-failed';
      readonly load: number;
      readonly code: SoundProblemCode;
      readonly sentence: string;
      readonly isReported?: boolean;
    }
  /** The rest of a loaded item does not come: it is heard as far as it came. */
  | {
      readonly type: 'item-broke-off';
      readonly load: number;
      readonly code: SoundProblemCode;
      readonly sentence: string;
      readonly isReported?: boolean;
    }
  | { readonly type: 'sound-ended'; readonly sound: number; readonly because: PlayEnd }
  /** Once, after `watch-listeners`. */
  | { readonly type: 'listeners-gone' }
  | { readonly type: 'stopped' }
  | TimerFired;

export type PlayEffect =
  | { readonly do: 'open-mix' }
  | { readonly do: 'close-mix' }
  /** The last listener of an endless play may leave while no sound plays. */
  | { readonly do: 'watch-listeners' }
  /** Its outcome comes back as `item-loaded`, `item-unfolded` or `item-failed`; `unload` aborts or frees it. */
  | { readonly do: 'load'; readonly load: number; readonly index: number; readonly item: PlayItem }
  | { readonly do: 'unload'; readonly load: number }
  /** `behind` names a sound whose end it waits for. */
  | {
      readonly do: 'sound';
      readonly number: number;
      readonly sound: Sound;
      readonly loop: boolean;
      readonly behind?: number;
    }
  | { readonly do: 'stop-sound'; readonly number: number }
  | { readonly do: 'notify'; readonly notice: PlayNotice }
  | KernelEffect<OutboxEvent>;

export function newPlay(order: PlayOrder): Play {
  return {
    phase: 'loading',
    order,
    position: { round: 0, item: 0, repeat: 0 },
    loads: new Map(),
    counter: 0,
    sound: 0,
    nextSound: undefined,
    hasBegun: false,
    isHeard: false,
    round: { beganAt: 0, hasPlayed: false, hasFailed: false },
    problems: [],
  };
}
