/** Work that runs once at a time: a call during a run makes it run once more, because the run may have passed what changed. */
export interface RepeatedWork {
  /** Resolves at the end of the last run, and rejects where a run does; a rejection drops the requested repetition. */
  run(): Promise<void>;
  /** The running work, for the end of its owner. */
  readonly running: Promise<void> | undefined;
}

export function createRepeatedWork(work: () => Promise<void>): RepeatedWork {
  let running: Promise<void> | undefined;
  let isRequested = false;

  async function repeat(): Promise<void> {
    try {
      do {
        isRequested = false;
        await work();
      } while (isRequested);
    } finally {
      running = undefined;
    }
  }

  return {
    get running() {
      return running;
    },
    run() {
      if (running === undefined) running = repeat();
      else isRequested = true;
      return running;
    },
  };
}
