import type {
  AudioStreams,
  Clock,
  LegKey,
  StreamNotice,
  StreamOrder,
  StreamTarget,
  StreamTrack,
} from '@jackfield/ports';

/**
 * How a server handles connections: accepts at once, refuses, or stays silent until the attempt is given up. `late` accepts after this many
 * milliseconds.
 */
export type StreamServer = 'accepts' | 'refuses' | 'silent' | { readonly late: number };

/** One stream: its order and the later changes. */
export interface SimulatedStream {
  readonly order: StreamOrder;
  readonly tracks: readonly StreamTrack[];
  readonly hearers: readonly string[];
  readonly isConnected: boolean;
  /** All attempts to connect, the latest last. */
  readonly targets: readonly StreamTarget[];
}

/** Sockets of streams on the virtual clock: a test configures the servers, and sees the calls of the port. */
export interface SimulatedStreams extends AudioStreams {
  /** Applies from now on; servers without a setting accept. */
  serve(url: string, server: StreamServer): void;
  /** Streams that are open, by their names. */
  readonly streams: ReadonlyMap<string, SimulatedStream>;
  /** Streams that have ended, with the sentence. */
  readonly closed: ReadonlyMap<string, string>;
  /** Keys that arrived in signalling. */
  readonly pressed: readonly LegKey[];
  /** The other side closes the socket; 1006: the connection is cut. */
  lose(stream: string, code: number): void;
  /** The engine has no slot for the stream. */
  giveUp(stream: string, sentence: string): void;
  /** Reports an event that the other side causes. */
  notify(notice: StreamNotice): void;
  /** Streams and attempts that still exist. */
  census(): { readonly streams: number; readonly attempts: number };
  /** The process has ended. */
  stop(): void;
}

type Kept = { -readonly [Key in keyof SimulatedStream]: SimulatedStream[Key] } & {
  cancel: (() => void) | undefined;
};

/** Time of a near server to accept, and of a socket to close, in ms. */
const usualMs = 5;

const nothing = {
  framesSent: 0,
  framesDropped: 0,
  playedMs: 0,
  playDroppedMs: 0,
  framesReceived: 0,
  framesRefused: 0,
};

/** `touched` is called before notifications go out, because their listeners may begin work that has to settle. */
export function createSimulatedStreams(clock: Clock, touched: () => void = () => {}): SimulatedStreams {
  const servers = new Map<string, StreamServer>();
  const streams = new Map<string, Kept>();
  const closed = new Map<string, string>();
  const pressed: LegKey[] = [];
  const listeners = new Set<(notice: StreamNotice) => void>();

  function notify(notice: StreamNotice): void {
    touched();
    for (const listener of listeners) listener(notice);
  }

  function after(stream: Kept, ms: number, then: () => void): void {
    stream.cancel = clock.startTimer(clock.now() + ms, () => {
      stream.cancel = undefined;
      then();
    });
  }

  return {
    streams,
    closed,
    pressed,
    press: (key) => void pressed.push(key),
    serve: (url, server) => void servers.set(url, server),
    open(order) {
      const { stream, tracks, hearers } = order;
      if (streams.has(stream) || closed.has(stream)) throw new Error(`stream ${stream} was opened before`);
      streams.set(stream, {
        order,
        tracks,
        hearers,
        isConnected: false,
        targets: [],
        cancel: undefined,
      });
    },
    connect(name, target) {
      const stream = streams.get(name);
      if (stream === undefined || stream.isConnected) return;
      if (stream.cancel !== undefined) throw new Error(`stream ${name} is being connected already`);
      stream.targets = [...stream.targets, target];
      const { ms, refusal } = outcomeOf(servers.get(target.url) ?? 'accepts', target.timeoutMs);
      after(stream, ms, () => {
        stream.isConnected = refusal === undefined;
        if (refusal === undefined) notify({ type: 'stream-connected', stream: name });
        else notify({ type: 'stream-unreachable', stream: name, sentence: refusal });
      });
    },
    retrack(name, tracks) {
      const stream = streams.get(name);
      if (stream !== undefined) stream.tracks = tracks;
    },
    replay(name, hearers) {
      const stream = streams.get(name);
      if (stream !== undefined) stream.hearers = hearers;
    },
    close(name, reason) {
      const stream = streams.get(name);
      if (stream === undefined || closed.has(name)) return;
      closed.set(name, reason);
      stream.cancel?.();
      stream.isConnected = false;
      after(stream, usualMs, () => {
        streams.delete(name);
        notify({ type: 'stream-over', stream: name, statistics: nothing });
      });
    },
    lose(name, code) {
      const stream = streams.get(name);
      if (stream?.isConnected !== true) throw new Error(`stream ${name} is not connected`);
      stream.isConnected = false;
      notify({ type: 'stream-lost', stream: name, code, sentence: `the socket was closed with ${code}` });
    },
    giveUp(name, sentence) {
      const stream = streams.get(name);
      if (stream === undefined) throw new Error(`stream ${name} is not open`);
      stream.cancel?.();
      streams.delete(name);
      notify({ type: 'stream-over', stream: name, statistics: nothing, sentence });
    },
    notify,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    census: () => ({
      streams: streams.size,
      attempts: [...streams.values()].filter(({ cancel }) => cancel !== undefined).length,
    }),
    stop() {
      for (const { cancel } of streams.values()) cancel?.();
      streams.clear();
    },
  };
}

/** When an attempt to connect ends, and why it fails; without `refusal` it succeeds. */
function outcomeOf(
  server: StreamServer,
  timeoutMs: number,
): { readonly ms: number; readonly refusal?: string } {
  const lateMs = typeof server === 'object' ? server.late : usualMs;
  if (server === 'silent' || lateMs > timeoutMs) {
    return { ms: timeoutMs, refusal: `no answer within ${timeoutMs} ms` };
  }
  return server === 'refuses' ? { ms: lateMs, refusal: 'the connection was refused' } : { ms: lateMs };
}
