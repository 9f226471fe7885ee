import type { EngineStreams } from '@jackfield/media';
import type { OpenNoiseCancellation } from '@jackfield/media/io';
import type { StreamNotice } from '@jackfield/ports';
import { LiveStream } from './live-stream.ts';
import { noStreamStatistics } from './no-stream-statistics.ts';
import {
  defaultStreamLimits,
  type StreamCensus,
  type StreamCounters,
  type StreamLimits,
  type StreamRequest,
} from './stream-messages.ts';

/** The streams of one media thread. */
export interface WorkerStreams {
  take(request: StreamRequest): void;
  census(): StreamCensus;
  readCounters(): StreamCounters;
  /** Ends all of them; resolves when the last socket is closed. */
  closeAll(): Promise<void>;
}

export interface WorkerStreamsDeps {
  readonly engine: EngineStreams;
  /** Epoch milliseconds that never step, and the wall clock, which may have stepped ahead. */
  readonly now: () => number;
  readonly wallNow: () => number;
  /** The notifications of one turn of the event loop, in order. */
  readonly notify: (notices: readonly StreamNotice[]) => void;
  readonly openNoiseCancellation: OpenNoiseCancellation;
  readonly limits?: Partial<StreamLimits> | undefined;
  readonly trust?: string | undefined;
}

/** A smaller difference is not a step of the wall clock: two clocks are some milliseconds apart. */
const smallestStepMs = 1_000;

/** Starts without streams. */
export function createWorkerStreams(deps: WorkerStreamsDeps): WorkerStreams {
  const { engine, now, openNoiseCancellation, trust } = deps;
  const limits: StreamLimits = { ...defaultStreamLimits, ...deps.limits };
  const streams = new Map<string, LiveStream>();
  const counters: StreamCounters = {
    framesSent: 0,
    framesDropped: 0,
    framesReceived: 0,
    framesRefused: 0,
    playDroppedMs: 0,
    deepestQueueMs: 0,
    sockets: 0,
    connected: 0,
    unreachable: 0,
    lost: 0,
  };
  let gathered: StreamNotice[] = [];
  let emptied: (() => void) | undefined;
  const hand = (): void => {
    const notices = gathered;
    gathered = [];
    deps.notify(notices);
  };
  const notify = (notice: StreamNotice): void => {
    if (gathered.push(notice) === 1) queueMicrotask(hand);
  };
  const over = (stream: string): void => {
    streams.delete(stream);
    if (streams.size === 0) emptied?.();
  };
  /** The clock of one stream. It keeps its first offset from the wall clock, so that a step of the wall clock makes no gap. */
  const clockOf = (): (() => number) => {
    const aheadMs = Math.round(deps.wallNow() - now());
    return Math.abs(aheadMs) < smallestStepMs ? now : () => now() + aheadMs;
  };
  const shared = { engine, notify, openNoiseCancellation, limits, counters, trust, over };

  return {
    take(request) {
      if (request.do === 'open') {
        const { order } = request;
        if (streams.has(order.stream)) return;
        if (streams.size >= limits.streams) {
          // Its end is reported, so that no caller waits forever.
          const sentence = `the media engine has no slot for the stream: ${limits.streams} are there`;
          notify({ type: 'stream-over', stream: order.stream, statistics: noStreamStatistics, sentence });
          return;
        }
        const opened = new LiveStream(order, { ...shared, now: clockOf() });
        streams.set(order.stream, opened);
        opened.open();
        return;
      }
      if (request.do === 'press') return engine.signalKey(request.leg, request.digit, request.durationMs);
      const stream = streams.get(request.stream);
      switch (request.do) {
        case 'connect':
          return stream?.connect(request.target);
        case 'retrack':
          return stream?.retrack(request.tracks);
        case 'replay':
          return stream?.replay(request.hearers);
        case 'close':
          return stream?.close(request.reason);
      }
    },
    census: () => ({ streams: streams.size, streamSockets: counters.sockets, ...engine.census() }),
    readCounters() {
      const read = { ...counters };
      counters.deepestQueueMs = 0;
      return read;
    },
    async closeAll() {
      if (streams.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      emptied = resolve;
      for (const stream of [...streams.values()]) stream.close('the server stops');
      await promise;
    },
  };
}
