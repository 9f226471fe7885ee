import { type MessagePort, Worker } from 'node:worker_threads';
import type { CaptureReceiver, MovedNames } from '@jackfield/media';
import type { FromMediaThread, HostCensus, HostStats, MovedLegs } from '@jackfield/media/io';
import type {
  AgreedKeys,
  AudioStreams,
  LegMeasures,
  LegStatistics,
  Media,
  MediaClips,
  MediaLegs,
  MediaNotice,
  OpenedLeg,
} from '@jackfield/ports';
import type { MediaThreadData, PriorityNotice, WebrtcNotice } from './media-thread-data.ts';
import { watchPriority } from './priority-watch.ts';
import type { StreamCensus, StreamCounters, StreamLimits, StreamNotices } from './streams/stream-messages.ts';
import { createStreamsPort } from './streams/streams-port.ts';
import type { ThreadPriority } from './thread-priority.ts';
import { createThreadRequests } from './thread-requests.ts';
import { createStartMark, holdExit } from './thread-start.ts';

/** The media engine in a thread of its own, for features (`Media`), signalling (`MediaLegs`) and voices (`MediaClips`). */
export interface MediaWorker extends Media, MediaLegs, LegMeasures, MediaClips {
  /** Whether legs of WebRTC can be opened. */
  readonly hasWebrtc: boolean;
  /** Open objects, for the census after a test. */
  census(): Promise<HostCensus & StreamCensus>;
  /** Timing and counters, for metrics. */
  stats(): Promise<HostStats & { readonly streams: StreamCounters }>;
  resetStats(): void;
  /** WebSockets of streams are in the thread as well: a frame of audio never crosses threads. */
  readonly streams: AudioStreams;
  /**
   * Sends captured audio through this port from now on, as `CaptureMessage` of @jackfield/media, bypassing this thread. The port is
   * transferred. Audio captured earlier is dropped; an earlier port of the same receiver is closed.
   */
  sendCapturesTo(port: MessagePort, receiver?: CaptureReceiver): void;
  /** Takes legs out, with the mixes and captures that follow them, for another worker of this process. */
  release(names: MovedNames): Promise<MovedLegs>;
  /** Continues legs of another worker; rejects when some of them are lost. Commands sent after it find the legs. */
  adopt(moved: MovedLegs): Promise<void>;
  /** The keys of a leg of WebRTC whose handshake another worker has. */
  secure(leg: string, keys: AgreedKeys): void;
  /** A port pair of this worker that a leg had taken along is free again. */
  freePort(port: number): void;
  /** Resolves when the thread has died without a request: every leg is lost, and pending requests are rejected. */
  readonly died: Promise<Error>;
  /** A descriptor that stays open when the thread dies; undefined where there is none. */
  readonly pollDescriptor: number | undefined;
  /** Ends the thread at once, as a fault would; for tests. */
  kill(): void;
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
  /**
   * `best` obtains the best permitted priority for the thread, or lowers that of the others; see
   * docs/operate/processes.md#priority-of-the-media-thread. `normal`, the default, changes nothing.
   */
  readonly priority?: 'best' | 'real-time' | 'raised' | 'normal';
  /** The priority at the start, and after each change by the guard of real-time threads. */
  readonly onPriority?: (priority: ThreadPriority) => void;
  /** The UDP and TCP port of all legs of WebRTC; they are refused when absent. */
  readonly webrtcPort?: number;
  /** WebRTC is off; `problem` is the reason, a sentence. */
  readonly onWebrtcOff?: (problem: string) => void;
  /** The handshake of a leg that another worker has is over: its keys, for `secure`. */
  readonly onSecured?: (leg: string, keys: AgreedKeys) => void;
  /** A leg without RTP for this long is reported; default 60,000. */
  readonly mediaSilentMs?: number;
  /** Number of steps in the 20 ms of a frame; each mix runs in the step that suits its members. Default 8. */
  readonly phases?: number;
  /** Limits of streams; see `defaultStreamLimits`. */
  readonly streamLimits?: Partial<StreamLimits>;
  /** Certificates (PEM) of the authorities for servers of streams, in place of Node's own. */
  readonly streamTrust?: string;
}

type ThreadMessage = FromMediaThread | StreamNotices | PriorityNotice | WebrtcNotice;

/** Starts the thread; resolves when its frame loop runs, rejects when it cannot start. */
export async function createMediaWorker(options: MediaWorkerOptions): Promise<MediaWorker> {
  const { onPriority, onWebrtcOff, onSecured, sockets = 'best', priority = 'normal', ...rest } = options;
  const mark = createStartMark();
  const data: MediaThreadData = { mark, sockets, priority, ...rest };
  const priorities = watchPriority((obtained) => onPriority?.(obtained));
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: data, name: 'media' });
  const letExit = holdExit(mark);
  const listeners = new Set<(notice: MediaNotice) => void>();
  const ready = Promise.withResolvers<void>();
  const death = Promise.withResolvers<Error>();
  let closing: Promise<void> | undefined;
  let hasWebrtc = false;
  let pollDescriptor: number | undefined;
  const thread = createThreadRequests(worker);
  const { post, ask } = thread;

  const die = (error: Error): void => {
    if (!thread.end(error)) return;
    priorities.end();
    ready.reject(error);
    if (closing === undefined) death.resolve(error);
  };
  worker.on('error', (error) => die(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => die(new Error(`the media thread ended with code ${code}`)));
  const accept = (message: ThreadMessage) => {
    switch (message.type) {
      case 'ready':
        pollDescriptor = message.pollDescriptor;
        return ready.resolve();
      case 'priority':
        priorities.note(message).catch(die);
        return;
      case 'webrtc':
        hasWebrtc = message.problem === undefined;
        if (message.problem !== undefined) onWebrtcOff?.(message.problem);
        return;
      case 'notices':
        for (const notice of message.notices) for (const listener of listeners) listener(notice);
        return;
      case 'secured':
        onSecured?.(message.leg, message.keys);
        return;
      case 'stream-notices':
        return streamsPort.take(message.notices);
      default:
        thread.settle(message);
    }
  };
  worker.on('message', (messages: readonly ThreadMessage[]) => messages.forEach(accept));
  const streamsPort = createStreamsPort(post);
  await ready.promise.finally(letExit);

  return {
    hasWebrtc,
    send: (command) => post({ type: 'apply', command }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    open: (leg, ice) => ask<OpenedLeg>({ about: 'open', leg, ...(ice && { ice }) }),
    connect: (leg, agreed) => post({ type: 'connect', leg, agreed }),
    close: (leg) => ask<LegStatistics>({ about: 'close', leg }),
    measure: (legs) => ask({ about: 'measure', legs }),
    loadClip: (name, clip) => ask<void>({ about: 'load-clip', name, clip }),
    growClip: (name, piece, isLast) => ask<void>({ about: 'grow-clip', name, piece, isLast }),
    dropClip: (name) => post({ type: 'drop-clip', name }),
    census: () => ask({ about: 'census' }),
    stats: () => ask({ about: 'stats' }),
    streams: streamsPort.streams,
    resetStats: () => post({ type: 'reset-stats' }),
    sendCapturesTo: (port, receiver = 'recorder') => thread.handPort(receiver, port),
    release: (names) => ask<MovedLegs>({ about: 'release', names }),
    adopt: (moved) => ask<void>({ about: 'adopt', moved }),
    secure: (leg, keys) => post({ type: 'secure', leg, keys }),
    freePort: (port) => post({ type: 'free-port', port }),
    died: death.promise,
    pollDescriptor,
    kill: () => void worker.terminate(),
    closeAll() {
      closing ??= (async () => {
        await ask<void>({ about: 'close-all' }).catch(() => {});
        await worker.terminate();
      })();
      return closing;
    },
  };
}
