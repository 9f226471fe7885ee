import type {
  FrameRefusal,
  Instant,
  StreamNotice,
  StreamStatistics,
  StreamTrack,
  TimerFired,
} from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';
import type { NewStream, StopReason } from './new-stream.ts';

/**
 * One stream, named by its UUID:
 *
 *   connecting ──connected──→ streaming ⇄ interrupted (resumable ones)
 *       └───────stop, timeout, failure──────────┴──→ closing ──sockets gone──→ over
 *
 * Its end is reported once, when `closing` begins; `closing` only waits until the media engine has released it.
 */
export interface Stream {
  readonly order: StreamSettings;
  readonly phase: 'connecting' | 'streaming' | 'interrupted' | 'closing' | 'over';
  readonly createdAt: Instant;
  /** Its first connection. */
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
  /** Of a failure. */
  readonly fault: StreamFault | null;
}

/** Why a stream failed or was interrupted: for programs, and for people. */
export interface StreamFault {
  readonly code: FaultCode;
  readonly sentence: string;
}

/** `ErrorCode` of docs/reference/errors.md. */
export type FaultCode =
  | 'address-refused'
  | 'unreachable'
  | 'connection-lost'
  | 'no-capacity'
  | 'account-gone'
  | 'platform-restarted'
  | 'internal';

/** The reasons of the public API, and a normal close by the other side. */
export type EndReason = StopReason | 'Connection error' | 'Closed by the application';

/** Attempts to connect. A look-up carries the number of its attempt, so that a late result is recognised. */
export interface Attempt {
  readonly number: number;
  /** Attempts on this URL, since the beginning or since the socket was lost. */
  readonly ofUrl: number;
  readonly url: 'service' | 'fallback';
  /** The stream has changed to its other URL. */
  readonly isOther: boolean;
}

/** The last loss of the socket. */
export interface Interruption {
  readonly lostAt: Instant;
  readonly resumedAt: Instant;
  /** Until then the lost URL is tried. */
  readonly until: Instant;
}

/** Limits middle events, because the other side decides how often they happen. */
export interface Chatter {
  readonly since: Instant;
  readonly emitted: number;
  /** Events over the limit, from the beginning on. */
  readonly omitted: number;
}

export interface StreamLimits {
  /** docs/interface/streams.md#starting: two further attempts after a failure to connect. */
  readonly attempts: number;
  readonly pauseMs: number;
  /** To resolve the name, and to connect with TLS and upgrade, each. */
  readonly connectMs: number;
  /** How long the URL of a lost stream is tried, and the longest pause meanwhile. */
  readonly resumeMs: number;
  readonly longestPauseMs: number;
  /** A stream that is lost again within this time has not recovered: `resumeMs` of the first loss goes on. */
  readonly recoveredMs: number;
  /** Delay of hold audio: a short loss stays inaudible. */
  readonly holdAfterMs: number;
  /** Callbacks and events in the middle of a stream, each second. */
  readonly eventsPerSecond: number;
}

export const streamLimits: StreamLimits = {
  attempts: 3,
  pauseMs: 1_000,
  connectMs: 5_000,
  resumeMs: 30_000,
  longestPauseMs: 4_000,
  recoveredMs: 10_000,
  holdAfterMs: 400,
  eventsPerSecond: 20,
};

/** Checked addresses of an attempt, with the signatures of its upgrade request. */
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
  /** `isFinal`: the egress guard refuses the target for good. */
  | {
      readonly type: 'target-refused';
      readonly attempt: number;
      readonly fault: StreamFault;
      readonly isFinal: boolean;
    }
  | StreamNotice
  | {
      readonly type: 'retrack-asked';
      readonly tracks: readonly StreamTrack[];
      readonly hearers: readonly string[];
    }
  | { readonly type: 'stop-asked'; readonly reason: StopReason }
  /** `diedAt`: the last sign of life of the former process. */
  | { readonly type: 'process-restarted'; readonly diedAt: Instant }
  | TimerFired;

/** Reported to customers; events.ts gives the names of docs/interface/streams.md#status-callbacks. */
export type StreamEvent =
  | { readonly type: 'started' }
  | { readonly type: 'interrupted'; readonly fault: StreamFault }
  | { readonly type: 'resumed'; readonly afterMs: number }
  | { readonly type: 'played'; readonly name: string }
  | { readonly type: 'cleared' }
  | {
      readonly type: 'degraded';
      readonly direction: 'to-socket' | 'from-socket';
      readonly droppedMs: number;
      readonly percentFull: number;
    }
  | { readonly type: 'frame-refused'; readonly code: FrameRefusal; readonly sentence: string }
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
  /** Hold audio for the legs that hear the stream. */
  | { readonly do: 'hold'; readonly hearers: readonly string[] }
  | { readonly do: 'end-hold' }
  | { readonly do: 'notify-begun' }
  | { readonly do: 'notify-ended'; readonly outcome: StreamEnd['outcome'] }
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
    chatter: { since: 0, emitted: 0, omitted: 0 },
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
