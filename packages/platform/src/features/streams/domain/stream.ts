import type { Instant, StreamNotice, StreamStatistics, StreamTrack, TimerFired } from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';
import type { NewStream, StopReason } from './new-stream.ts';

/**
 * One stream, named by its UUID:
 *
 *   connecting ──connected──→ streaming ⇄ interrupted (resumable ones)
 *       └───────stop, timeout, failure──────────┴──→ closing ──sockets gone──→ over
 *
 * Its end is told when `closing` begins, once; `closing` only waits until nothing of it is left.
 */
export interface Stream {
  readonly order: StreamSettings;
  readonly phase: 'connecting' | 'streaming' | 'interrupted' | 'closing' | 'over';
  readonly createdAt: Instant;
  /** When it was connected first. */
  readonly startedAt: Instant | null;
  readonly endedAt: Instant | null;
  readonly end: StreamEnd | null;
  /** Legs that hear the other side, and the hold audio while it is lost. */
  readonly hearers: readonly string[];
  readonly attempt: Attempt;
  readonly interruption: Interruption | null;
  readonly isHeld: boolean;
  readonly chatter: Chatter;
  readonly statistics: StreamStatistics | null;
}

export type StreamSettings = Omit<NewStream, 'tracks' | 'hearers'>;

export interface StreamEnd {
  readonly outcome: 'stopped' | 'timeout' | 'failed';
  readonly reason: EndReason;
  /** Of a failure, for people. */
  readonly sentence: string | null;
}

/** Those of the door, and one of ours: the other side has closed the socket as one does that is done. */
export type EndReason = StopReason | 'Closed by the application';

/** Tries to connect. A look-up carries the number of its attempt, so that a late one is known. */
export interface Attempt {
  readonly number: number;
  /** Tries of this URL, since the beginning or since the socket was lost. */
  readonly ofUrl: number;
  readonly url: 'service' | 'fallback';
  /** The other URL has had its turn. */
  readonly isOther: boolean;
}

/** Losses of the socket, in a life that may lose it again and again. */
export interface Interruption {
  readonly lostAt: Instant;
  readonly resumedAt: Instant;
  /** Until then the URL that was lost is tried. */
  readonly until: Instant;
}

/** What is told in the middle of a stream is bounded: the other side decides how often it happens. */
export interface Chatter {
  readonly since: Instant;
  readonly told: number;
  /** Over the whole life: what happened and was not told. */
  readonly untold: number;
}

export interface StreamLimits {
  /** docs/interface/streams.md#starting: on a failure to connect it is tried twice more. */
  readonly attempts: number;
  readonly pauseMs: number;
  /** To resolve the name, and to connect with TLS and upgrade, each. */
  readonly connectMs: number;
  /** How long the URL of a lost stream is tried again, and the longest pause meanwhile. */
  readonly resumeMs: number;
  readonly longestPauseMs: number;
  /** A stream that was resumed for less than this has not recovered: the time of its interruption goes on. */
  readonly recoveredMs: number;
  /** Hold audio begins so much later: a socket that is back at once is not heard. */
  readonly holdAfterMs: number;
  /** Callbacks and events in the middle of a stream, each second. */
  readonly toldPerSecond: number;
}

export const streamLimits: StreamLimits = {
  attempts: 3,
  pauseMs: 1_000,
  connectMs: 5_000,
  resumeMs: 30_000,
  longestPauseMs: 4_000,
  recoveredMs: 10_000,
  holdAfterMs: 400,
  toldPerSecond: 20,
};

/** Where an attempt may go, with the signatures of its upgrade request. */
export interface CheckedTarget {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

export type StreamInput =
  | {
      readonly type: 'ordered';
      readonly tracks: readonly StreamTrack[];
      readonly hearers: readonly string[];
    }
  | { readonly type: 'target-found'; readonly attempt: number; readonly target: CheckedTarget }
  /** `isFinal`: the guard does not let us go there, and will not. */
  | {
      readonly type: 'target-refused';
      readonly attempt: number;
      readonly sentence: string;
      readonly isFinal: boolean;
    }
  | StreamNotice
  | {
      readonly type: 'retrack-asked';
      readonly tracks: readonly StreamTrack[];
      readonly hearers: readonly string[];
    }
  | { readonly type: 'stop-asked'; readonly reason: StopReason }
  /** `diedAt`: when the process that died was last known to live. */
  | { readonly type: 'process-restarted'; readonly diedAt: Instant }
  | TimerFired;

/** What customers are told; names of docs/interface/streams.md#status-callbacks are given to it in events.ts. */
export type StreamEvent =
  | { readonly type: 'started' }
  | { readonly type: 'interrupted'; readonly sentence: string }
  | { readonly type: 'resumed'; readonly afterMs: number }
  | { readonly type: 'played'; readonly name: string }
  | { readonly type: 'cleared' }
  | {
      readonly type: 'degraded';
      readonly direction: 'to-socket' | 'from-socket';
      readonly droppedMs: number;
      readonly percentFull: number;
    }
  | { readonly type: 'frame-refused'; readonly sentence: string }
  | { readonly type: 'stopped' }
  | { readonly type: 'timeout' }
  | { readonly type: 'failed' };

export type StreamEffect =
  | {
      readonly do: 'open';
      readonly tracks: readonly StreamTrack[];
      readonly hearers: readonly string[];
    }
  | { readonly do: 'find-target'; readonly attempt: number; readonly url: string }
  | {
      readonly do: 'connect';
      readonly url: string;
      readonly target: CheckedTarget;
      readonly resumed: boolean;
    }
  | { readonly do: 'retrack'; readonly tracks: readonly StreamTrack[] }
  | { readonly do: 'replay'; readonly hearers: readonly string[] }
  | { readonly do: 'close'; readonly reason: EndReason }
  /** Hold audio for whoever hears the stream. */
  | { readonly do: 'hold'; readonly hearers: readonly string[] }
  | { readonly do: 'end-hold' }
  | { readonly do: 'tell-begun' }
  | { readonly do: 'tell-ended'; readonly outcome: StreamEnd['outcome'] }
  | Extract<KernelEffect<StreamEvent>, { readonly do: 'start-timer' | 'cancel-timer' | 'emit' }>;

export function newStream(settings: StreamSettings, now: Instant): Stream {
  return {
    order: settings,
    phase: 'connecting',
    createdAt: now,
    startedAt: null,
    endedAt: null,
    end: null,
    hearers: [],
    attempt: { number: 0, ofUrl: 0, url: 'service', isOther: false },
    interruption: null,
    isHeld: false,
    chatter: { since: 0, told: 0, untold: 0 },
    statistics: null,
  };
}

/** Whole seconds between its first connection and its end, or now. */
export function secondsOf(
  { startedAt, endedAt }: Pick<Stream, 'startedAt' | 'endedAt'>,
  now: Instant,
): number {
  return startedAt === null ? 0 : Math.max(0, Math.ceil(((endedAt ?? now) - startedAt) / 1000));
}
