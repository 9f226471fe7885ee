import type { ThreadWait } from '@jackfield/media/io';
import type { SystemCalls } from './system-calls.ts';

const POLLIN = 1;

/**
 * Blocks this thread, and ends a wait when its event loop has work: a message of the main thread, a WebSocket. One ppoll
 * on the descriptor of the event loop costs a fraction of a timer of Node.js and is not rounded to whole milliseconds.
 * Undefined where the descriptor is not known.
 */
export function createThreadWait(calls: SystemCalls): ThreadWait | undefined {
  const eventLoop = calls.eventLoopDescriptor();
  if (eventLoop < 0) return undefined;
  const watched = new Uint8Array(8);
  new DataView(watched.buffer).setInt32(0, eventLoop, true);
  new DataView(watched.buffer).setInt16(4, POLLIN, true);
  const timeout = new Uint8Array(16);
  const timeoutView = new DataView(timeout.buffer);
  const block = (descriptors: number, ms: number): boolean => {
    const seconds = Math.floor(ms / 1000);
    timeoutView.setUint32(0, seconds, true);
    timeoutView.setUint32(8, Math.floor((ms - seconds * 1000) * 1e6), true);
    return calls.ppoll(watched, descriptors, timeout, null) > 0;
  };
  return { untilWork: (ms) => block(1, ms), pause: (ms) => void block(0, ms) };
}
