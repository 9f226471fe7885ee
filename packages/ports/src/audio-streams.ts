import type { LegKey } from './telephony.ts';

/**
 * Audio of legs to and from WebSockets. The sockets are in the media worker: a frame of audio never crosses threads. A UUID
 * names a stream. The feature that opens it decides on connection attempts, pauses and the reaction to a loss.
 */
export interface AudioStreams {
  /**
   * Opens the stream; nothing is sent before it is connected. Above the engine's limit `stream-over` follows, at once or at the connection.
   * The same name twice is an error of the caller.
   */
  open(order: StreamOrder): void;
  /** One attempt; `stream-connected` or `stream-unreachable` follows. Ignored for a stream that is not open or already connected. */
  connect(stream: string, target: StreamTarget): void;
  /** Replaces the tracks and their legs between two frames. */
  retrack(stream: string, tracks: readonly StreamTrack[]): void;
  /**
   * A key that a phone has sent as SIP INFO. Streams with the keys of its leg report it, once if it comes as RFC 4733 events as well.
   */
  press(key: LegKey): void;
  /** Replaces the legs that hear what the other side plays. */
  replay(stream: string, hearers: readonly string[]): void;
  /**
   * Ends the stream in any state: sends the `stop` frame if requested, closes with 1000, frees sockets and queues. `stream-over`
   * follows, once and last.
   */
  close(stream: string, reason: string): void;
  subscribe(listener: (notice: StreamNotice) => void): () => void;
}

/** Languages of frames, by the service whose interface has them. */
export type StreamDialectName = 'plivo' | 'twilio';

/** What a stream carries and how. */
export interface StreamOrder {
  readonly stream: string;
  /** Names that the `start` frame carries. */
  readonly call: string;
  readonly account: string;
  /** The language of the frames; `twilio` has µ-law alone, and no binary frames. */
  readonly dialect: StreamDialectName;
  readonly encoding: 'audio/x-l16' | 'audio/x-mulaw';
  /** Hz: 8000, 16000 or 24000; µ-law is 8000. */
  readonly sampleRate: number;
  readonly tracks: readonly StreamTrack[];
  /** What the other side may do: play audio to these legs, and press keys towards them. */
  readonly bidirectional: boolean;
  readonly hearers: readonly string[];
  /**
   * The stream is itself a leg of mixes under this name, without any RTP: what it plays is what the leg says, and its only track is
   * what the leg hears (`heard: [leg]`).
   */
  readonly asLeg?: string;
  /** The mix that such a leg will join. */
  readonly beside?: string;
  /** Copied into the frames; empty when there is none. */
  readonly extraHeaders: string;
  /** 60–100: RNNoise on what legs say, mixed with the untouched signal. */
  readonly noiseCancellationLevel?: number;
  /** Media as binary frames instead of base64 in JSON. */
  readonly binary?: boolean;
  /** Frames for the beginning and the end of speech in each track. */
  readonly voiceActivity?: VoiceActivityLimits;
  /** A `stop` frame before the close. */
  readonly stopFrame: boolean;
  /** How much audio is kept for the next connection while the socket is lost. 0: nothing, a loss ends the stream. */
  readonly keepLostMs: number;
}

/** What counts as speech. */
export interface VoiceActivityLimits {
  /** Silence that ends it, in milliseconds. */
  readonly silenceMs: number;
  /** Quieter sound is never speech, in dB relative to a full-scale square wave. */
  readonly levelDb: number;
}

/** One track of a stream: the sum of what some legs say and others hear, 20 ms at a time, all tracks on one clock. */
export interface StreamTrack {
  /** `inbound`, `outbound`, or the multiparty call member whose voice it carries. */
  readonly name: string;
  readonly said: readonly string[];
  readonly heard: readonly string[];
  /** `dtmf` frames of this track report the keys of these legs. */
  readonly keysOf?: readonly string[];
}

/** The target of one attempt: the guard has checked its addresses, and the engine dials no other. */
export interface StreamTarget {
  /** ws or wss, as the customer wrote it. */
  readonly url: string;
  /** Tried in this order until one accepts the connection. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Of the upgrade request: signatures. */
  readonly headers: Readonly<Record<string, string>>;
  /** For all addresses together, with TLS and the upgrade. */
  readonly timeoutMs: number;
  /** A second connection of the same stream: `start` carries a mark, and the kept audio follows faster than real time. */
  readonly resumed?: boolean;
}

/** What happens to streams, in order. */
export type StreamNotice =
  | { readonly type: 'stream-connected'; readonly stream: string }
  | { readonly type: 'stream-unreachable'; readonly stream: string; readonly sentence: string }
  /** The socket of a connected stream is gone; `code` as RFC 6455 §7.4 numbers it, 1006 without a close frame. */
  | {
      readonly type: 'stream-lost';
      readonly stream: string;
      readonly code: number;
      readonly sentence: string;
    }
  /** The last sample in front of the checkpoint has left for the hearers. */
  | { readonly type: 'stream-played'; readonly stream: string; readonly name: string }
  | { readonly type: 'stream-cleared'; readonly stream: string }
  /** So many more checkpoints were played and so many more times audio was cleared, too often to be reported one by one. */
  | { readonly type: 'stream-notices-omitted'; readonly stream: string; readonly count: number }
  /** A frame of the other side that could not be used; the same code and sentence are in its `playFailed`. */
  | {
      readonly type: 'stream-refused-frame';
      readonly stream: string;
      readonly code: FrameRefusal;
      readonly sentence: string;
    }
  /** Its reader is slow, or its play-out queue overflows. `droppedMs` counts since the fault began; once a second at most. */
  | {
      readonly type: 'stream-degraded';
      readonly stream: string;
      readonly direction: 'to-socket' | 'from-socket';
      readonly droppedMs: number;
      readonly percentFull: number;
    }
  /**
   * `sentence`: the engine ended the stream without `close`, because its limit of streams is reached. `error`: an exception ended it, and no
   * other stream.
   */
  | {
      readonly type: 'stream-over';
      readonly stream: string;
      readonly statistics: StreamStatistics;
      readonly sentence?: string;
      readonly error?: Error;
    };

/** Why a frame of the other side could not be used. */
export type FrameRefusal =
  | 'malformed-frame'
  | 'unknown-event'
  | 'foreign-stream'
  | 'message-too-long'
  | 'binary-refused'
  | 'unsupported-audio'
  | 'unsupported-keys'
  | 'queue-full';

/** Counters of one stream from its opening to its end. */
export interface StreamStatistics {
  readonly framesSent: number;
  readonly framesDropped: number;
  readonly playedMs: number;
  readonly playDroppedMs: number;
  readonly framesReceived: number;
  readonly framesRefused: number;
}
