import type { DecodeProblem, SoundClip } from '@jackfield/ports';

/** Plain data between the platform and the thread that decodes. */
export interface DecodeOrder {
  readonly job: number;
  readonly file: Uint8Array;
  readonly seconds: number;
}

/** `turn` stands before each slice of work, so that whoever hangs is known by name. */
export type DecodeReport =
  | { readonly type: 'turn'; readonly job: number }
  | { readonly type: 'done'; readonly job: number; readonly clip: SoundClip }
  | {
      readonly type: 'failed';
      readonly job: number;
      readonly code: DecodeProblem;
      readonly sentence: string;
    };

/** What the thread starts with. */
export interface DecodeThreadData {
  /** What lies above is converted to it. */
  readonly maxSampleRate: number;
}
