/**
 * Loading takes some 0.1 s, and seconds on a busy machine. A thread that hangs must not keep its process: compose and Kubernetes kill after
 * 10 and 30 s.
 */
const mostWaitMs = 5_000;

const starting = new Set<Int32Array>();

/** Whether a thread has loaded its native functions: shared by it and the thread that starts it. */
export type StartMark = Int32Array;

/** A mark for a thread that is about to start. */
export function createStartMark(): StartMark {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/**
 * Until the returned function is called, an exit of this process waits for the thread with this mark: koffi aborts the process when its
 * thread is ended while it defines functions (Node-API refuses the error that it throws then).
 */
export function holdExit(mark: StartMark): () => void {
  if (starting.size === 0) process.on('exit', awaitStarts);
  starting.add(mark);
  return () => {
    starting.delete(mark);
    if (starting.size === 0) process.off('exit', awaitStarts);
  };
}

function awaitStarts(): void {
  const end = performance.now() + mostWaitMs;
  for (const mark of starting) Atomics.wait(mark, 0, 0, Math.max(0, end - performance.now()));
}

/** Called in the thread when it has loaded its functions, or ends without them. */
export function markStarted(mark: StartMark): void {
  Atomics.store(mark, 0, 1);
  Atomics.notify(mark, 0);
}
