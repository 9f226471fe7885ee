import type { StreamDialectName, StreamTrack, VoiceActivityLimits } from '@jackfield/ports';

/** Reasons of docs/interface/streams.md#reasons-of-an-end for call records that an owner may give. */
export type StopReason = 'API request' | 'Call hangup' | 'Stream timeout';

export interface NewStream {
  /** A UUID that the owner chooses, so that the API can name it at once. */
  readonly stream: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly owner: { readonly kind: string; readonly id: string };
  /** The stream ends with this leg; a stream of a room, and a stream that is a leg itself, is stopped by its owner. */
  readonly callUuid: string;
  /** The multiparty call, where the stream carries a whole room. */
  readonly mpc?: { readonly uuid: string; readonly name: string };
  readonly from: string;
  readonly to: string;
  readonly serviceUrl: string;
  /** Tried when `serviceUrl` cannot be reached. */
  readonly fallbackUrl?: string;
  readonly bidirectional: boolean;
  readonly audioTrack: 'inbound' | 'outbound' | 'both';
  readonly tracks: readonly StreamTrack[];
  readonly hearers: readonly string[];
  /** See `StreamOrder.asLeg`. */
  readonly asLeg?: string;
  /** e.g. `audio/x-l16;rate=8000`. */
  readonly contentType: string;
  /** Of the frames; `plivo` when left out. */
  readonly dialect?: StreamDialectName;
  readonly timeoutSeconds: number;
  /** As the customer wrote it. */
  readonly extraHeaders: string;
  readonly noiseCancellationLevel: number | null;
  readonly statusCallback: StreamCallback | null;
  readonly binary?: boolean;
  readonly voiceActivity?: VoiceActivityLimits;
  readonly resumable?: boolean;
  /** Whether a `stop` frame comes before the close; true when left out. */
  readonly stopFrame?: boolean;
  /** Echoed in its first callback. */
  readonly keepCallAlive?: boolean;
  /** Further fields of each callback. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Events between the beginning and the end, by the names of their callbacks. */
export type MiddleEvent =
  | 'PlayedStream'
  | 'ClearedAudio'
  | 'DegradedStream'
  | 'InterruptedStream'
  | 'ResumedStream';

export interface StreamCallback {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Which middle events are sent, beside beginning and end; all when left out. */
  readonly middle?: readonly MiddleEvent[];
}
