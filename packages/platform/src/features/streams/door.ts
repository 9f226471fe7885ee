import type { StreamTrack } from '@jackfield/ports';
import type { Result } from '../../kernel/result.ts';

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

/** conventions.md §7.4 has these four for call records. */
export type StopReason = 'API request' | 'Call hangup' | 'Connection error' | 'Stream timeout';

export interface NewStream {
  /** A UUID, chosen by whoever starts it, so that the API can name it at once. */
  readonly stream: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly owner: { readonly kind: string; readonly id: string };
  /** The leg whose life it shares: the stream ends with it, but one of a room or one that is a leg itself, which its owner stops. */
  readonly callUuid: string;
  /** Of a stream of a whole room. */
  readonly mpc?: { readonly uuid: string; readonly name: string };
  readonly from: string;
  readonly to: string;
  readonly serviceUrl: string;
  /** Tried when the first is lost and cannot be had again. */
  readonly fallbackUrl?: string;
  readonly bidirectional: boolean;
  readonly audioTrack: 'inbound' | 'outbound' | 'both';
  readonly tracks: readonly StreamTrack[];
  readonly hearers: readonly string[];
  /** See `StreamOrder.asLeg`. */
  readonly asLeg?: string;
  /** e.g. `audio/x-l16;rate=8000`. */
  readonly contentType: string;
  readonly timeoutSeconds: number;
  /** As the customer wrote it. */
  readonly extraHeaders: string;
  readonly noiseCancellationLevel: number | null;
  readonly statusCallback: StreamCallback | null;
  readonly binary?: boolean;
  readonly resumable?: boolean;
  /** A `stop` frame before the close; yes when left out. */
  readonly stopFrame?: boolean;
  /** Echoed in its first callback. */
  readonly keepCallAlive?: boolean;
  /** Further fields of each callback. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** What happens between the beginning and the end, by the names of its callbacks. */
export type MiddleEvent =
  | 'PlayedStream'
  | 'ClearedAudio'
  | 'DegradedStream'
  | 'InterruptedStream'
  | 'ResumedStream';

export interface StreamCallback {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Which of them are told, beside beginning and end; all when left out. */
  readonly middle?: readonly MiddleEvent[];
}

export type StreamLifeNotice =
  | { readonly type: 'stream-begun'; readonly stream: string }
  | {
      readonly type: 'stream-ended';
      readonly stream: string;
      readonly outcome: 'stopped' | 'timeout' | 'failed';
    };
