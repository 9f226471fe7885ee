import type { LegKey, StreamNotice, StreamOrder, StreamTarget, StreamTrack } from '@jackfield/ports';

/** Orders for streams on their way into the media thread. */
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

/** What comes back: the notices of one turn of the event loop. */
export interface StreamNotices {
  readonly type: 'stream-notices';
  readonly notices: readonly StreamNotice[];
}

/** Limits of each stream; times in milliseconds. */
export interface StreamLimits {
  /** What may wait to be played; default 60,000. */
  readonly queueMs: number;
  /** A longer message of the other side is refused; default 64 KiB. One of sixteen times as many bytes ends the connection with 1009. */
  readonly messageBytes: number;
  /** What may wait in a socket before frames wait in front of it; default 128 KiB. */
  readonly bufferedBytes: number;
  /** How much waits in front of a socket whose reader is slow, before the oldest is dropped; default 2000. */
  readonly slowMs: number;
  /** Between pings; a socket that has not answered one when the next is due is lost. Default 15,000. */
  readonly pingMs: number;
  /** How long the other side may take to answer a close; default 5000. */
  readonly closeMs: number;
  /** Messages, and bytes of them, that are read in 20 ms before the socket waits; default 64, and 128 KiB. */
  readonly messagesPerFrame: number;
  readonly bytesPerFrame: number;
  /** Refusals that are answered in a second; more are counted only. Default 10. */
  readonly refusalsPerSecond: number;
  /** Streams at once; default 5000. */
  readonly streams: number;
}

/** The limits where none are given. */
export const defaultStreamLimits: StreamLimits = {
  queueMs: 60_000,
  messageBytes: 64 * 1024,
  bufferedBytes: 128 * 1024,
  slowMs: 2000,
  pingMs: 15_000,
  closeMs: 5000,
  messagesPerFrame: 64,
  bytesPerFrame: 128 * 1024,
  refusalsPerSecond: 10,
  streams: 5000,
};

/** How many of each thing exist now. */
export interface StreamCensus {
  readonly streams: number;
  /** Sockets and attempts to connect. */
  readonly streamSockets: number;
  readonly taps: number;
  readonly feeds: number;
}

/** Sums over all streams since the start, for metrics. */
export interface StreamCounters {
  framesSent: number;
  framesDropped: number;
  framesReceived: number;
  framesRefused: number;
  playDroppedMs: number;
  /** The deepest play-out queue since these counters were read last. */
  deepestQueueMs: number;
  /** Sockets and attempts to connect that are there now. */
  sockets: number;
  connected: number;
  unreachable: number;
  lost: number;
}
