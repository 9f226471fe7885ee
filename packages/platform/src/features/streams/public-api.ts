import type { Instant, StreamTrack } from '@jackfield/ports';
import type { Result } from '../../kernel/result.ts';
import type { NewStream, StopReason } from './domain/new-stream.ts';

/** The streams feature for its owners: the API, a document, a multiparty call with a program as agent. */
export interface Streams {
  /** Each kind of owner registers its listener once. */
  ownedBy(kind: string, notify: (owner: string, notice: StreamNotice) => void): void;
  /**
   * Its record is durable when the promise resolves; later failures arrive as a notice. Refused where the call or the room has
   * a live stream to this URL, or too many streams.
   */
  start(order: NewStream): Promise<Result<undefined>>;
  /** Puts other legs on its tracks, and changes the legs that hear it. */
  retrack(stream: string, tracks: readonly StreamTrack[], hearers: readonly string[]): void;
  /** Without effect on a stream that is over. Its callback and its record have `reason`. */
  stop(stream: string, reason: StopReason): void;
  /** Removes records of streams of multiparty calls that ended before, the oldest first, at most `limit`; resolves with how many. */
  removeEndedOfRooms(endedBefore: Instant, limit: number): Promise<number>;
}

export type StreamNotice =
  | { readonly type: 'stream-begun'; readonly stream: string }
  | {
      readonly type: 'stream-ended';
      readonly stream: string;
      readonly outcome: 'stopped' | 'timeout' | 'failed';
    };
