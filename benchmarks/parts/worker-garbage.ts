import { Session } from 'node:inspector';

/** Collects the garbage of this thread and of all workers, so that what is left can be measured; a heap snapshot would take memory itself. */
export async function collectEverywhere(): Promise<void> {
  globalThis.gc?.();
  const session = new Session();
  session.connect();
  const ended: Promise<void>[] = [];
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ended.push(promise);
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      if (params.sessionId === sessionId) resolve();
    });
    const message = JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' });
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
  });
  await new Promise<void>((resolve, reject) => {
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  await Promise.all(ended);
  session.disconnect();
}
