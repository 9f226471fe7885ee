import type { LegKey, StreamNotice, StreamOrder, StreamTarget, StreamTrack } from '@jackfield/ports';

/** Requests for streams to the media thread. */
export type StreamRequest =
  | { readonly type: 'stream'; readonly do: 'open'; readonly order: StreamOrder }
  | {
      readonly type: 'stream';
      readonly do: 'connect';
      readonly stream: string;
      readonly target: StreamTarget;
    }
  | {
      readonly type: 'stream';
      readonly do: 'retrack';
      readonly stream: string;
      readonly tracks: readonly StreamTrack[];
    }
  | {
      readonly type: 'stream';
      readonly do: 'replay';
      readonly stream: string;
      readonly hearers: readonly string[];
    }
  | ({ readonly type: 'stream'; readonly do: 'press' } & LegKey)
  | { readonly type: 'stream'; readonly do: 'close'; readonly stream: string; readonly reason: string };

/** The notifications of one turn of the event loop. */
export interface StreamNotices {
  readonly type: 'stream-notices';
  readonly notices: readonly StreamNotice[];
}

/** Limits of each stream; times in milliseconds. */
export interface StreamLimits {
  /** Audio that may wait for playing; default 60,000. */
  readonly queueMs: number;
  /**
   * A longer message of the other side is refused; default 64 KiB. A message of sixteen times as many bytes ends the connection with 1009.
   */
  readonly messageBytes: number;
  /** Bytes that may wait in a socket before further frames wait outside it; default 128 KiB. */
  readonly bufferedBytes: number;
  /** Audio that may wait for a slow reader before the oldest is dropped; default 2000. */
  readonly slowMs: number;
  /** Interval of pings; a socket without an answer when the next ping is due is lost. Default 15,000. */
  readonly pingMs: number;
  /** How long the other side may take to answer a close; default 5000. */
  readonly closeMs: number;
  /** Frames of a WebSocket (messages, fragments, pings, pongs), and bytes, that are read in 20 ms; default 64, and 128 KiB. */
  readonly readFrames: number;
  readonly readBytes: number;
  /** Refusals per second that get an answer; further ones are only counted. Default 10. */
  readonly refusalsPerSecond: number;
  /** Notifications of played checkpoints and cleared audio per second; further ones are counted. Default 20. */
  readonly noticesPerSecond: number;
  /** Concurrent streams; default 5000. */
  readonly streams: number;
}

/** The default limits. */
export const defaultStreamLimits: StreamLimits = {
  queueMs: 60_000,
  messageBytes: 64 * 1024,
  bufferedBytes: 128 * 1024,
  slowMs: 2000,
  pingMs: 15_000,
  closeMs: 5000,
  readFrames: 64,
  readBytes: 128 * 1024,
  refusalsPerSecond: 10,
  noticesPerSecond: 20,
  streams: 5000,
};

/** Open objects by kind. */
export interface StreamCensus {
  readonly streams: number;
  /** Sockets and attempts to connect. */
  readonly streamSockets: number;
  readonly taps: number;
  readonly streamSources: number;
}

/** Sums over all streams since the start, for metrics. */
export interface StreamCounters {
  framesSent: number;
  framesDropped: number;
  framesReceived: number;
  framesRefused: number;
  playDroppedMs: number;
  /** The deepest play-out queue since the last reading of these counters. */
  deepestQueueMs: number;
  /** Sockets and attempts to connect that exist now. */
  sockets: number;
  connected: number;
  unreachable: number;
  lost: number;
}
