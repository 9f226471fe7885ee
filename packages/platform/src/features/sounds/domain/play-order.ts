import type { Sound } from '@jackfield/ports';

export interface PlayOrder {
  /** Unique among all plays, e.g. a UUID. */
  readonly play: string;
  readonly owner: { readonly kind: string; readonly id: string };
  /** Legs that hear it; they may have any owner. */
  readonly to: readonly string[];
  readonly items: readonly PlayItem[];
  /** Repetitions of the whole order; 0 goes on until stopped. */
  readonly loop: number;
  /** The legs hear nothing else meanwhile. */
  readonly alone?: boolean;
  /** Ends with `finished` after this time, counted from the first item on. */
  readonly lengthMs?: number;
  /** Both given: the event streams of these accounts have `sound.failed` and `sound.broken-off` of its items, and `sound.warning` for skipped content. */
  readonly account?: string;
  readonly mainAccount?: string;
  /**
   * One of several plays that are one to the customer, each with listeners of its own: events have the name and the legs of the
   * whole, and a failure in several parts makes one event.
   */
  readonly partOf?: { readonly play: string; readonly to: readonly string[] };
}

/** `loop` 0 goes on until stopped. */
export type PlayItem =
  /** An MP3 or WAV file, at most 10 MB. */
  | { readonly kind: 'file'; readonly url: string; readonly method?: 'GET' | 'POST'; readonly loop?: number }
  /**
   * Such a file, or a document whose prompts replace it. It is the only item of its order, whose `loop` repeats
   * all of it: in an order with an end, endless prompts are heard once.
   */
  | {
      readonly kind: 'source';
      readonly url: string;
      readonly method?: 'GET' | 'POST';
      readonly loop?: number;
    }
  | {
      readonly kind: 'speech';
      readonly text: string;
      /** See `SpeechRequest`. */
      readonly markup?: string;
      readonly language: string;
      readonly voice: 'woman' | 'man';
      readonly loop?: number;
    }
  | { readonly kind: 'built-in'; readonly sound: Sound; readonly loop?: number }
  | { readonly kind: 'silence'; readonly durationMs: number };

export type PlayNotice =
  | { readonly type: 'play-begun'; readonly play: string }
  | {
      readonly type: 'play-over';
      readonly play: string;
      readonly because: 'finished' | 'stopped';
      /** Items that could not be played, or only in part; the others were. */
      readonly problems: readonly PlayProblem[];
    };

export interface SoundDocument {
  /** Files, speech and silence. */
  readonly items: readonly PlayItem[];
  /** A sentence for each part that is skipped. */
  readonly warnings: readonly string[];
}

/** Why an item was not played, or not to its end: `problem_code` of docs/reference/errors.md. */
export type SoundProblemCode =
  | 'address-refused'
  | 'unreachable'
  | 'timeout'
  | 'broken-answer'
  | 'unexpected-status'
  | 'file-too-large'
  | 'file-too-long'
  | 'not-a-sound'
  | 'silent'
  | 'text-refused'
  | 'speech-failed'
  | 'speech-broke-off'
  | 'busy'
  | 'internal';

/** For the customer: what could not be played, and why. */
export interface PlayProblem {
  readonly item: number;
  readonly code: SoundProblemCode;
  readonly sentence: string;
}
