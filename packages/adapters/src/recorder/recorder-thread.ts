import { type Transferable, Worker } from 'node:worker_threads';
import type { FromRecorderThread, RecorderThreadData, ToRecorderThread } from './recorder-messages.ts';

/** The recorder thread, seen from the main thread. */
export interface RecorderThread {
  post(message: ToRecorderThread, transferred?: readonly Transferable[]): void;
  end(): Promise<void>;
}

/** Resolves when the thread is ready; rejects when it ends before. `onDeath` is called once when it later ends without a request. */
export async function startRecorderThread(
  data: RecorderThreadData,
  onMessage: (message: FromRecorderThread) => void,
  onDeath: (error: Error) => void,
): Promise<RecorderThread> {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: data, name: 'recorder' });
  const ready = Promise.withResolvers<void>();
  let isReady = false;
  let isOver = false;

  const die = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    if (isReady) onDeath(error);
    else ready.reject(error);
  };
  worker.on('error', (error) => die(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => die(new Error(`the recorder thread ended with code ${code}`)));
  worker.on('message', (message: FromRecorderThread) => {
    if (message.type === 'ready') {
      isReady = true;
      ready.resolve();
    } else onMessage(message);
  });
  await ready.promise;
  return {
    post(message, transferred = []) {
      if (!isOver) worker.postMessage(message, transferred);
    },
    async end() {
      isOver = true;
      await worker.terminate();
    },
  };
}
