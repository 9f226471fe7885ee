import type { Clock } from '@jackfield/ports';

/** Those that are called when events may have been committed. */
export interface CommitListeners {
  subscribe(listener: () => void, which?: 'of-this-process' | 'all'): () => void;
  /** Events were written: without `committed` before then, the listeners are called this much later. */
  written(): void;
  /** This process has committed events. */
  committed(): void;
  /** Another process has committed events. */
  committedElsewhere(): void;
  close(): void;
}

export function createCommitListeners(
  clock: Pick<Clock, 'now' | 'startTimer'>,
  unannouncedMs: number,
): CommitListeners {
  const ofAll = new Set<() => void>();
  const ofThisProcess = new Set<() => void>();
  let cancelNotice: (() => void) | undefined;

  const isEmpty = () => ofAll.size + ofThisProcess.size === 0;

  function close(): void {
    cancelNotice?.();
    cancelNotice = undefined;
  }

  function committed(): void {
    close();
    for (const listener of ofAll) listener();
    for (const listener of ofThisProcess) listener();
  }

  return {
    subscribe(listener, which = 'all') {
      const joined = which === 'all' ? ofAll : ofThisProcess;
      joined.add(listener);
      return () => {
        joined.delete(listener);
        if (isEmpty()) close();
      };
    },
    written() {
      if (!isEmpty()) cancelNotice ??= clock.startTimer(clock.now() + unannouncedMs, committed);
    },
    committed,
    committedElsewhere() {
      for (const listener of ofAll) listener();
    },
    close,
  };
}
