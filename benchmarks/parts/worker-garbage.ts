import { Session } from 'node:inspector';

/** Bytes of JavaScript in all threads of this process: live objects of the heap, and buffers outside it. */
export interface HeldBytes {
  readonly heap: number;
  readonly buffers: number;
}

/**
 * Collects the garbage of this thread and of all workers, with the pages that V8 keeps for later, and returns what is left. A heap snapshot
 * would take memory itself. Needs `--expose-gc`.
 */
export async function collectEverywhere(): Promise<HeldBytes> {
  const own = collect();
  const workers = await inWorkers(`JSON.stringify((${collect})())`);
  const all = [own, ...workers.map((result) => JSON.parse(result) as HeldBytes)];
  const sum = (of: (each: HeldBytes) => number) => all.reduce((bytes, each) => bytes + of(each), 0);
  return { heap: sum(({ heap }) => heap), buffers: sum(({ buffers }) => buffers) };
}

/** Runs in each thread by its text, so it refers to globals alone. */
function collect(): HeldBytes {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed, buffers: arrayBuffers };
}

/** The results of an expression in each worker. */
async function inWorkers(expression: string): Promise<string[]> {
  const session = new Session();
  session.connect();
  const results: Promise<string>[] = [];
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    results.push(promise);
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      if (params.sessionId === sessionId) resolve(JSON.parse(params.message).result.result.value);
    });
    const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } });
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
  });
  await new Promise<void>((resolve, reject) => {
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  const all = await Promise.all(results);
  session.disconnect();
  return all;
}
