import type { StreamTrack } from '@jackfield/ports';
import type { Result } from '../../kernel/result.ts';
import type { NewStream, StopReason } from './domain/new-stream.ts';

/** The door of the streams feature for those who stream: the API, a document, a multiparty call with an agent that is a program. */
export interface Streams {
  /** Each kind of owner registers once how it is told. */
  ownedBy(kind: string, tell: (owner: string, notice: StreamLifeNotice) => void): void;
  /**
   * Its record is durable when the promise resolves; what fails later arrives as a notice. Refused where the call or the room has
   * a live stream to this URL, or too many of them.
   */
  start(order: NewStream): Promise<Result<undefined>>;
  /** Other legs on its tracks, and other hearers. */
  retrack(stream: string, tracks: readonly StreamTrack[], hearers: readonly string[]): void;
  /** Nothing for one that is over. `reason` is what its callback and its record say. */
  stop(stream: string, reason: StopReason): void;
}

export type StreamLifeNotice =
  | { readonly type: 'stream-begun'; readonly stream: string }
  | {
      readonly type: 'stream-ended';
      readonly stream: string;
      readonly outcome: 'stopped' | 'timeout' | 'failed';
    };
