import type { MessagePort, Worker } from 'node:worker_threads';
import type { CaptureReceiver } from '@jackfield/media';
import type { FromMediaThread, MediaQuestion, ToMediaThread } from '@jackfield/media/io';
import type { StreamRequest } from './streams/stream-messages.ts';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

type Settlement = Extract<FromMediaThread, { readonly type: 'answer' | 'refusal' }>;

/** Messages to a media thread, in order, and the requests that wait for its answers. */
export interface ThreadRequests {
  post(message: ToMediaThread | StreamRequest): void;
  ask<Value>(question: MediaQuestion): Promise<Value>;
  /** Transfers a port for captures of one receiver. */
  handPort(receiver: CaptureReceiver, port: MessagePort): void;
  settle(answer: Settlement): void;
  /** Rejects every request from now on, and those that wait; false when it has ended already. */
  end(error: Error): boolean;
}

/** Creates the requests of one thread. */
export function createThreadRequests(worker: Pick<Worker, 'postMessage'>): ThreadRequests {
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let ended: Error | undefined;
  let unsent: (ToMediaThread | StreamRequest)[] = [];
  const flush = (): void => {
    const messages = unsent;
    unsent = [];
    if (ended === undefined && messages.length > 0) worker.postMessage(messages);
  };
  // Batch per event-loop turn: postMessage costs per message, not per byte.
  const post = (message: ToMediaThread | StreamRequest): void => {
    if (unsent.push(message) === 1) setImmediate(flush);
  };
  return {
    post,
    ask<Value>(question: MediaQuestion): Promise<Value> {
      if (ended !== undefined) return Promise.reject(ended);
      const id = ++asked;
      const { promise, resolve, reject } = Promise.withResolvers<Value>();
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      post({ type: 'ask', id, ...question });
      return promise;
    },
    handPort(receiver, port) {
      flush();
      const message: ToMediaThread = { type: 'take-captures', receiver, port };
      if (ended === undefined) worker.postMessage([message], [port]);
    },
    settle(answer) {
      const request = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (answer.type === 'answer') request?.resolve(answer.value);
      else request?.reject(Object.assign(new Error(answer.message), { code: answer.code }));
    },
    end(error) {
      if (ended !== undefined) return false;
      ended = error;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
      return true;
    },
  };
}
