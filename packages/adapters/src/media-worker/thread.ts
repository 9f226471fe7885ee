import { parentPort, workerData } from 'node:worker_threads';
import {
  createMediaHost,
  loadNoiseCancellation,
  loadOpus,
  type MediaHost,
  openDgramSharedSocket,
  openDgramSockets,
  serveMediaThread,
  type ToMediaThread,
} from '@jackfield/media/io';
import { returnStartMemory } from '@jackfield/media/start-memory';
import { networksOf } from '@jackfield/ports';
import type { MediaThreadData, PriorityNotice, WebrtcNotice } from './media-thread-data.ts';
import { openNativeCiphers } from './native-ciphers.ts';
import { openNativeSharedSocket } from './native-shared-socket.ts';
import { openNativeSockets } from './native-sockets.ts';
import { openSharedPort } from './open-shared-port.ts';
import { createOwnPriority } from './own-priority.ts';
import type { StreamNotices, StreamRequest } from './streams/stream-messages.ts';
import { createWorkerStreams } from './streams/worker-streams.ts';
import { loadThreadPriorities } from './thread-priority.ts';
import { markStarted } from './thread-start.ts';

/** The media thread: the engine, its sockets and those of streams, on a core of its own. */
const {
  mark,
  sockets,
  priority,
  rtpSources = [],
  streamLimits,
  streamTrust,
  webrtcPort,
  ...options
} = workerData as MediaThreadData;
if (parentPort === null) throw new Error('the media thread is started as a worker');
const port = parentPort;
// Also when this thread ends by a fault.
process.once('exit', () => markStarted(mark));
const isAdmitted = networksOf(rtpSources);
const native = sockets === 'dgram' ? undefined : await openNativeSockets();
if (native === undefined && sockets === 'native') throw new Error('native sockets do not work here');
const [openOpus, openNoiseCancellation, ciphers] = await Promise.all([
  loadOpus(),
  loadNoiseCancellation(),
  openNativeCiphers(),
]);
const resting =
  priority === 'normal'
    ? undefined
    : createOwnPriority(
        await loadThreadPriorities(),
        priority === 'raised' ? 'raised' : 'real-time',
        (notice) => port.postMessage([{ type: 'priority', ...notice }] satisfies PriorityNotice[]),
      );
const webrtc =
  webrtcPort === undefined
    ? undefined
    : await openSharedPort({
        host: options.host,
        port: webrtcPort,
        openSocket:
          (sockets === 'dgram' ? undefined : await openNativeSharedSocket()) ?? openDgramSharedSocket,
      });
if (webrtc !== undefined) {
  const off = 'problem' in webrtc ? { problem: webrtc.problem } : {};
  port.postMessage([{ type: 'webrtc', ...off }] satisfies WebrtcNotice[]);
}
returnStartMemory();
serveMediaThread(port, (notify, captured, secured): MediaHost => {
  const openSockets = native ?? openDgramSockets;
  const host = createMediaHost({
    ...options,
    isAdmitted,
    openSockets,
    openOpus,
    notify,
    captured,
    secured,
    ...(ciphers === undefined ? {} : { ciphers }),
    ...(resting === undefined ? {} : { resting }),
    ...(webrtc !== undefined && 'port' in webrtc ? { webrtc } : {}),
  });
  const streams = createWorkerStreams({
    engine: host.streams,
    now: host.now,
    wallNow: Date.now,
    notify: (notices) => port.postMessage([{ type: 'stream-notices', notices }] satisfies StreamNotices[]),
    openNoiseCancellation,
    limits: streamLimits,
    trust: streamTrust,
  });
  port.on('message', (messages: readonly (ToMediaThread | StreamRequest)[]) => {
    for (const message of messages) if (message.type === 'stream') streams.take(message);
  });
  return {
    ...host,
    census: () => ({ ...host.census(), ...streams.census() }),
    stats: () => ({ ...host.stats(), streams: streams.readCounters() }),
    async closeAll() {
      await streams.closeAll();
      await host.closeAll();
    },
  };
});
markStarted(mark);
