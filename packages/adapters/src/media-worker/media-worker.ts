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

/** The media engine in a thread of its own, as features (`Media`), signalling (`MediaLegs`) and voices (`MediaClips`) see it. */
export interface MediaWorker extends Media, MediaLegs, MediaClips {
  /** What is open: for the census after a test. */
  census(): Promise<HostCensus & StreamCensus>;
  /** Timing and counters, for metrics. */
  stats(): Promise<HostStats & { readonly streams: StreamCounters }>;
  resetStats(): void;
  /** WebSockets of streams live in the thread as well: a frame of audio never crosses it. */
  readonly streams: AudioStreams;
  /**
   * Captured audio goes out through this port from now on, as `CaptureMessage` of @jackfield/media, without passing through this
   * thread. The port is transferred. What is captured before is dropped; a port given before is closed.
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
  /** `best` takes system calls where they work and node:dgram elsewhere; the others insist. */
  readonly sockets?: 'best' | 'dgram' | 'native';
  /** Networks, `192.0.2.0/24` or single addresses, from which audio is taken although the signalling of its call names none of them; default none. */
  readonly rtpSources?: readonly string[];
  /** RTP that stays away for this long is told; default 60,000. */
  readonly mediaSilentMs?: number;
  /** Steps into which the 20 ms of a frame are divided, so that each mix has its turn when it suits its members; default 8. */
  readonly phases?: number;
  /** Of streams; see `defaultStreamLimits`. */
  readonly streamLimits?: Partial<StreamLimits>;
  /** Certificates (PEM) of authorities that servers of streams are checked against, instead of those that Node trusts. */
  readonly streamTrust?: string;
  /** The thread died by itself: every leg is lost. Requests that wait are rejected. */
  readonly onDeath?: (error: Error) => void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Starts the thread; resolves when it ticks, rejects when it cannot start. */
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
  // To cross is dearer than what crosses: what one turn of the event loop has to tell goes together.
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
