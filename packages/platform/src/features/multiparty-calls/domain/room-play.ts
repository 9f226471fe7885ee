import type { PlayItem } from '../../sounds/index.ts';
import type { Callback } from './participant.ts';

/** Something that is heard by some of those present until it ends. Each of them has a play of its own, which can be taken from it. */
export interface RoomPlay extends WantedPlay {
  /** Whom the request named: all, or their numbers in order; empty where no request is behind it. */
  readonly form: string;
  /** Legs that still hear it. */
  readonly listeners: readonly string[];
  /** Those who were to hear it. */
  readonly memberIds: readonly number[];
  /** Whoever was named hears it on hold too; what is for all is for those in the conversation. */
  readonly reachesHeld: boolean;
  readonly hasFailed: boolean;
}

export interface WantedPlay {
  /** Names it among the plays of its call. */
  readonly key: string;
  readonly of: 'play' | 'speak' | 'edge';
  readonly items: readonly PlayItem[];
  /** How often; 0: until it is stopped. */
  readonly loop: number;
  /** They hear nothing else meanwhile. */
  readonly alone: boolean;
  readonly lengthMs: number | null;
  /** Told when it is over. */
  readonly callback: Callback | null;
}
