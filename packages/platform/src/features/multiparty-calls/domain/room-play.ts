import type { PlayItem } from '../../sounds/index.ts';
import type { Callback } from './participant.ts';

/** A sound for some members until it ends. Each listener has a play of its own, which can be stopped alone. */
export interface RoomPlay extends RequestedPlay {
  /** The members of the request: all, or their numbers in order; empty without a request. */
  readonly form: string;
  /** Legs that still hear it. */
  readonly listeners: readonly string[];
  /** The members that it was for. */
  readonly memberIds: readonly number[];
  /** True where the request named members: they hear it on hold too. `all` means the conversation. */
  readonly reachesHeld: boolean;
  readonly hasFailed: boolean;
}

export interface RequestedPlay {
  /** Names it among the plays of its call. */
  readonly key: string;
  readonly of: 'play' | 'speak' | 'edge';
  readonly items: readonly PlayItem[];
  /** How often; 0: until it is stopped. */
  readonly loop: number;
  /** The listeners hear nothing else meanwhile. */
  readonly alone: boolean;
  readonly lengthMs: number | null;
  /** Receives a request when it is over. */
  readonly callback: Callback | null;
}
