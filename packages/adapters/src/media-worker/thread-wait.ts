import type { SystemCalls } from './system-calls.ts';

const POLLIN = 1;

/**
 * Blocks this thread for some milliseconds, or until its event loop has work: a message of the main thread, a
 * WebSocket. One ppoll on the descriptor of the event loop costs a fraction of a timer of Node.js and is not rounded to
 * whole milliseconds. Returns whether the event loop has work; undefined where the descriptor is not known.
 */
export function createThreadWait(calls: SystemCalls): ((ms: number) => boolean) | undefined {
  const eventLoop = calls.eventLoopDescriptor();
  if (eventLoop < 0) return undefined;
  const watched = new Uint8Array(8);
  new DataView(watched.buffer).setInt32(0, eventLoop, true);
  new DataView(watched.buffer).setInt16(4, POLLIN, true);
  const timeout = new Uint8Array(16);
  const timeoutView = new DataView(timeout.buffer);
  return (ms) => {
    const seconds = Math.floor(ms / 1000);
    timeoutView.setUint32(0, seconds, true);
    timeoutView.setUint32(8, Math.floor((ms - seconds * 1000) * 1e6), true);
    return calls.ppoll(watched, 1, timeout, null) > 0;
  };
}
