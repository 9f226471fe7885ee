import type { LegKey } from './telephony.ts';

/**
 * Audio of legs to and from WebSockets. The sockets live in the media worker: a frame of audio never crosses threads. A stream
 * is named by its UUID; attempts to connect, their pauses and what follows a loss are decided by whoever opened it.
 */
export interface AudioStreams {
  /**
   * Takes up the stream; nothing is sent before it is connected. One for which there is no place is over, at once or when it is connected.
   * The same name twice is an error of the caller.
   */
  open(order: StreamOrder): void;
  /** One attempt; `stream-connected` or `stream-unreachable` follows. Nothing for a stream that is not open or is connected. */
  connect(stream: string, target: StreamTarget): void;
  /** Other legs on the same or on other tracks, between two frames. */
  retrack(stream: string, tracks: readonly StreamTrack[]): void;
  /**
   * A key that a phone has sent as SIP INFO: told by the streams that have the keys of its leg, once where it comes among the audio as well.
   */
  press(key: LegKey): void;
  /** Legs that hear what the other side plays. */
  replay(stream: string, hearers: readonly string[]): void;
  /**
   * The end, in whatever state it is: a `stop` frame where it is wanted, a close with 1000, sockets and queues gone. `stream-over`
   * follows, once and last.
   */
  close(stream: string, reason: string): void;
  subscribe(listener: (notice: StreamNotice) => void): () => void;
}

/** What a stream carries and how. */
export interface StreamOrder {
  readonly stream: string;
  /** Names that the `start` frame carries. */
  readonly call: string;
  readonly account: string;
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
  /** As it goes into the frames; empty when there is none. */
  readonly extraHeaders: string;
  /** 60–100: RNNoise on what legs say, mixed with the untouched signal. */
  readonly noiseCancellationLevel?: number;
  /** Media as binary frames instead of base64 in JSON. */
  readonly binary?: boolean;
  /** A `stop` frame before the close. */
  readonly stopFrame: boolean;
  /** How much of what was said while the socket is lost is kept for the next connection; 0: nothing, a loss is the end. */
  readonly keepLostMs: number;
}

/** One track of a stream: the sum of what some legs say and others hear, 20 ms at a time, all tracks on one clock. */
export interface StreamTrack {
  /** `inbound`, `outbound`, or the member of a multiparty call whose voice it is. */
  readonly name: string;
  readonly said: readonly string[];
  readonly heard: readonly string[];
  /** Keys of these legs are told in `dtmf` frames of this track. */
  readonly keysOf?: readonly string[];
}

/** Where one attempt goes: its addresses were checked before, and nothing else is dialled. */
export interface StreamTarget {
  /** ws or wss, as the customer wrote it. */
  readonly url: string;
  /** Tried in this order until one takes the connection. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Of the upgrade request: signatures. */
  readonly headers: Readonly<Record<string, string>>;
  /** For all addresses together, with TLS and the upgrade. */
  readonly timeoutMs: number;
  /** A second connection of the same stream: its `start` says so, and what was kept follows faster than real time. */
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
  /** A frame of the other side that could not be used; the same sentence is in its `playFailed`. */
  | { readonly type: 'stream-refused-frame'; readonly stream: string; readonly sentence: string }
  /** Its reader is slow, or its play-out queue overflows: what was dropped since it began to be so; once a second at most. */
  | {
      readonly type: 'stream-degraded';
      readonly stream: string;
      readonly direction: 'to-socket' | 'from-socket';
      readonly droppedMs: number;
      readonly percentFull: number;
    }
  /** `sentence`: nobody has asked for the end; the engine has no place for it. */
  | {
      readonly type: 'stream-over';
      readonly stream: string;
      readonly statistics: StreamStatistics;
      readonly sentence?: string;
    };

/** Counters of one stream over its life. */
export interface StreamStatistics {
  readonly framesSent: number;
  readonly framesDropped: number;
  readonly playedMs: number;
  readonly playDroppedMs: number;
  readonly framesReceived: number;
  readonly framesRefused: number;
}
