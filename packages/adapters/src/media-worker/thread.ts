import { parentPort, workerData } from 'node:worker_threads';
import { createMediaHost, loadOpus, openDgramSockets, serveMediaThread } from '@jackfield/media/io';
import type { MediaThreadData } from './media-worker.ts';
import { openNativeSockets } from './native-sockets.ts';

/** The media thread: the engine and its sockets, alone on a core. */
const { sockets, ...options } = workerData as MediaThreadData;
if (parentPort === null) throw new Error('the media thread is started as a worker');
const native = sockets === 'dgram' ? undefined : await openNativeSockets();
if (native === undefined && sockets === 'native') throw new Error('native sockets do not work here');
const openOpus = await loadOpus();
serveMediaThread(parentPort, (notify, captured) =>
  createMediaHost({ ...options, openSockets: native ?? openDgramSockets, openOpus, notify, captured }),
);
