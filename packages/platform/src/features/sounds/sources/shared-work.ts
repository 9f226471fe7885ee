import type { StopSignal } from '@jackfield/ports';

/** One piece of work for all requesters of the same key; it is aborted when the last of them has left. */
export interface SharedWork<Value> {
  /** Rejects when the signal aborts as well; the other requesters go on. */
  join(key: string, signal: StopSignal, work: (signal: StopSignal) => Promise<Value>): Promise<Value>;
  readonly size: number;
}

interface Running<Value> {
  readonly outcome: Promise<Value>;
  readonly stop: AbortController;
  requesters: number;
}

/** `withdrawn` creates the error for a requester that has left. */
export function createSharedWork<Value>(withdrawn: () => Error): SharedWork<Value> {
  const running = new Map<string, Running<Value>>();

  function begin(key: string, work: (signal: StopSignal) => Promise<Value>): Running<Value> {
    const stop = new AbortController();
    const outcome = work(stop.signal);
    const begun: Running<Value> = { outcome, stop, requesters: 0 };
    running.set(key, begun);
    const over = (): void => {
      if (running.get(key) === begun) running.delete(key);
    };
    outcome.then(over, over);
    return begun;
  }

  return {
    get size() {
      return running.size;
    },
    join(key, signal, work) {
      if (signal.aborted) return Promise.reject(withdrawn());
      const joined = running.get(key) ?? begin(key, work);
      joined.requesters++;
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          reject(withdrawn());
          joined.requesters--;
          if (joined.requesters > 0) return;
          if (running.get(key) === joined) running.delete(key);
          joined.stop.abort();
        };
        signal.addEventListener('abort', leave, { once: true });
        joined.outcome.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
      });
    },
  };
}
