/** Work of one key runs one after another, work of different keys at the same time. */
export interface KeyedQueue {
  /** Resolves or rejects with `work`; work that fails does not stop what waits behind it. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** How many keys have work running or waiting. */
  keys(): number;
}

export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>();

  return {
    run(key, work) {
      const before = tails.get(key);
      const result = before === undefined ? startNow(work) : before.then(work);
      const tail = result.then(ignore, ignore).then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
      tails.set(key, tail);
      return result;
    },
    keys: () => tails.size,
  };
}

/** Work that throws before it returns a promise fails like any other. */
async function startNow<Result>(work: () => Promise<Result>): Promise<Result> {
  return work();
}

function ignore(): void {}
