import type { Clock, Logger } from '@jackfield/ports';
import type { CallStep } from '../../calls/index.ts';
import { createMinuteCounts, type MinuteCounts } from './minute-counts.ts';

export interface CounterDeps {
  readonly clock: Clock;
  readonly log: Logger;
  save(counts: readonly MinuteCounts[]): Promise<void>;
}

export interface Counter {
  add(step: CallStep): void;
  /** Writes what is counted so far. */
  flush(): Promise<void>;
  census(): { readonly accounts: number };
  close(): Promise<void>;
}

/** A crash loses the counts of as many seconds. */
const everyMs = 5_000;

/** Counts in memory and writes every few seconds: a write for each call would make its busy row the limit of calls a second. */
export function createCounter({ clock, log, save }: CounterDeps): Counter {
  const counts = createMinuteCounts();
  let cancel: (() => void) | undefined;
  let isClosed = false;
  let writing = Promise.resolve();

  function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    const taken = counts.drain();
    if (taken.length > 0) writing = writing.then(() => write(taken));
    return writing;
  }

  /** Counts that cannot be written are lost: to keep them would fill the memory while the database is away. */
  async function write(taken: readonly MinuteCounts[]): Promise<void> {
    try {
      await save(taken);
    } catch (err) {
      log.warn({ err, minutes: taken.length }, 'statistics of calls not written');
    }
  }

  return {
    add(step) {
      counts.add(step);
      if (isClosed) return;
      cancel ??= clock.startTimer(clock.now() + everyMs, () => void flush());
    },
    flush,
    census: () => ({ accounts: counts.size() }),
    close() {
      isClosed = true;
      return flush();
    },
  };
}
