import { type MessagePort, Worker } from 'node:worker_threads';
import type {
  FromMediaThread,
  HostCensus,
  HostStats,
  MediaQuestion,
  ToMediaThread,
} from '@jackfield/media/io';
import type {
  AudioStreams,
  LegStatistics,
  Media,
  MediaClips,
  MediaLegs,
  MediaNotice,
} from '@jackfield/ports';
import type { MediaThreadData } from './media-thread-data.ts';
import type {
  StreamCensus,
  StreamCounters,
  StreamLimits,
  StreamNotices,
  StreamRequest,
} from './streams/stream-messages.ts';
import { createStreamsDoor } from './streams/streams-door.ts';

/** The media engine in a thread of its own, for features (`Media`), signalling (`MediaLegs`) and voices (`MediaClips`). */
export interface MediaWorker extends Media, MediaLegs, MediaClips {
  /** Open objects, for the census after a test. */
  census(): Promise<HostCensus & StreamCensus>;
  /** Timing and counters, for metrics. */
  stats(): Promise<HostStats & { readonly streams: StreamCounters }>;
  resetStats(): void;
  /** WebSockets of streams are in the thread as well: a frame of audio never crosses threads. */
  readonly streams: AudioStreams;
  /**
   * Sends captured audio through this port from now on, as `CaptureMessage` of @jackfield/media, bypassing this thread. The port is
   * transferred. Audio captured earlier is dropped; an earlier port is closed.
   */
  sendCapturesTo(port: MessagePort): void;
  /** Closes every leg and ends the thread; safe to call twice. */
  closeAll(): Promise<void>;
}

export interface MediaWorkerOptions {
  /** Address to bind. */
  readonly host: string;
  /** JACKFIELD_RTP_PORTS, inclusive. */
  readonly ports: { readonly first: number; readonly last: number };
  /** `best` uses system calls where they work and node:dgram elsewhere; the other values allow one kind only. */
  readonly sockets?: 'best' | 'dgram' | 'native';
  /**
   * Networks, `192.0.2.0/24` or single addresses, whose audio is accepted even when the signalling of the call names none of them; default
   * none.
   */
  readonly rtpSources?: readonly string[];
  /** RTP that stays away for this long is reported; default 60,000. */
  readonly mediaSilentMs?: number;
  /** Number of steps in the 20 ms of a frame; each mix runs in the step that suits its members. Default 8. */
  readonly phases?: number;
  /** Limits of streams; see `defaultStreamLimits`. */
  readonly streamLimits?: Partial<StreamLimits>;
  /** Certificates (PEM) of the authorities for servers of streams, in place of Node's own. */
  readonly streamTrust?: string;
  /** The thread died by itself: every leg is lost. Pending requests are rejected. */
  readonly onDeath?: (error: Error) => void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Starts the thread; resolves when its frame loop runs, rejects when it cannot start. */
export async function createMediaWorker(options: MediaWorkerOptions): Promise<MediaWorker> {
  const { onDeath, sockets = 'best', ...rest } = options;
  const data: MediaThreadData = { sockets, ...rest };
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: data, name: 'media' });
  const listeners = new Set<(notice: MediaNotice) => void>();
  const waiting = new Map<number, Waiting>();
  const ready = Promise.withResolvers<void>();
  let asked = 0;
  let ended: Error | undefined;
  let closing: Promise<void> | undefined;

  const die = (error: Error): void => {
    if (ended !== undefined) return;
    ended = error;
    ready.reject(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    if (closing === undefined) onDeath?.(error);
  };
  worker.on('error', (error) => die(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => die(new Error(`the media thread ended with code ${code}`)));
  worker.on('message', (message: FromMediaThread | StreamNotices) => {
    switch (message.type) {
      case 'ready':
        return ready.resolve();
      case 'notices':
        for (const notice of message.notices) for (const listener of listeners) listener(notice);
        return;
      case 'stream-notices':
        return door.take(message.notices);
      case 'answer':
        waiting.get(message.id)?.resolve(message.value);
        waiting.delete(message.id);
        return;
      case 'refusal':
        waiting.get(message.id)?.reject(Object.assign(new Error(message.message), { code: message.code }));
        waiting.delete(message.id);
    }
  });

  let untold: (ToMediaThread | StreamRequest)[] = [];
  const flush = (): void => {
    const messages = untold;
    untold = [];
    if (ended === undefined && messages.length > 0) worker.postMessage(messages);
  };
  // Batch per event-loop turn: postMessage costs per message, not per byte.
  const tell = (message: ToMediaThread | StreamRequest): void => {
    if (untold.push(message) === 1) setImmediate(flush);
  };
  const door = createStreamsDoor(tell);
  const handPort = (port: MessagePort): void => {
    flush();
    const message: ToMediaThread = { type: 'take-captures', port };
    if (ended === undefined) worker.postMessage([message], [port]);
  };
  const ask = <Value>(question: MediaQuestion): Promise<Value> => {
    if (ended !== undefined) return Promise.reject(ended);
    const id = ++asked;
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
    tell({ type: 'ask', id, ...question });
    return promise;
  };
  await ready.promise;

  return {
    send: (command) => tell({ type: 'apply', command }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    open: (leg) => ask<{ port: number }>({ about: 'open', leg }),
    connect: (leg, agreed) => tell({ type: 'connect', leg, agreed }),
    close: (leg) => ask<LegStatistics>({ about: 'close', leg }),
    loadClip: (name, clip) => ask<void>({ about: 'load-clip', name, clip }),
    dropClip: (name) => tell({ type: 'drop-clip', name }),
    census: () => ask({ about: 'census' }),
    stats: () => ask({ about: 'stats' }),
    streams: door.streams,
    resetStats: () => tell({ type: 'reset-stats' }),
    sendCapturesTo: handPort,
    closeAll() {
      closing ??= (async () => {
        await ask<void>({ about: 'close-all' }).catch(() => {});
        await worker.terminate();
      })();
      return closing;
    },
  };
}
