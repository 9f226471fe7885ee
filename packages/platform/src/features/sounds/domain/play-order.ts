import type { Sound } from '@jackfield/ports';

export interface PlayOrder {
  /** Names it among all plays, e.g. a UUID. */
  readonly play: string;
  readonly owner: { readonly kind: string; readonly id: string };
  /** Legs that hear it, whoever owns them. */
  readonly to: readonly string[];
  readonly items: readonly PlayItem[];
  /** How often all of it; 0 goes on until stopped. */
  readonly loop: number;
  /** They hear nothing else meanwhile. */
  readonly alone?: boolean;
  /** Then it ends with `finished`, whatever is left; counted from the first item on. */
  readonly lengthMs?: number;
  /** Both given: what cannot be played is told in the live feed of these accounts, as `sound.failed`, what is passed over as `sound.remark`. */
  readonly account?: string;
  readonly mainAccount?: string;
  /**
   * One of several plays that are one to the customer, each with listeners of its own: the feed has the name and the legs of the
   * whole, and what fails or is passed over in several of them once.
   */
  readonly partOf?: { readonly play: string; readonly to: readonly string[] };
}

/** `loop` 0 goes on until stopped. */
export type PlayItem =
  /** An MP3 or WAV file, at most 10 MB. */
  | { readonly kind: 'file'; readonly url: string; readonly method?: 'GET' | 'POST'; readonly loop?: number }
  /**
   * Such a file, or a document whose prompts are heard in its place. It is the only item of its order, whose `loop` says
   * how often all of it is heard: in an order with an end, prompts that go on for ever are heard once.
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
      /** Items that could not be played; the others were. */
      readonly problems: readonly PlayProblem[];
    };

export interface SoundDocument {
  /** Files, speech and silence. */
  readonly items: readonly PlayItem[];
  /** What stands in it and is passed over, a sentence each. */
  readonly remarks: readonly string[];
}

/** A sentence for the customer: what could not be played, and why. */
export interface PlayProblem {
  readonly item: number;
  readonly sentence: string;
}
