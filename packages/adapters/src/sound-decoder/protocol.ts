import type { DecodeProblem } from '@jackfield/ports';

/** Messages to the process that decodes. A file is announced, then sent in pieces, so that no message is large. */
export type DecodeOrder =
  | { readonly type: 'decode'; readonly job: number; readonly bytes: number; readonly seconds: number }
  | { readonly type: 'piece'; readonly job: number; readonly bytes: Uint8Array };

/**
 * Messages from the process that decodes. `turn` precedes each slice of work: it names the file at fault when the process hangs. `begun`
 * gives the length of the clip, or slightly more; its samples follow in order.
 */
export type DecodeReport =
  | { readonly type: 'turn'; readonly job: number }
  | {
      readonly type: 'begun';
      readonly job: number;
      readonly sampleRate: number;
      readonly mostSamples: number;
    }
  | { readonly type: 'samples'; readonly job: number; readonly samples: Int16Array }
  | { readonly type: 'done'; readonly job: number }
  | {
      readonly type: 'failed';
      readonly job: number;
      readonly code: DecodeProblem;
      readonly sentence: string;
    };
