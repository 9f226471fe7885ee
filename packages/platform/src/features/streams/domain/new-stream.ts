import type { StreamTrack } from '@jackfield/ports';

/** docs/interface/streams.md#reasons-of-an-end has these four for call records. */
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
