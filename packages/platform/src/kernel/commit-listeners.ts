import type { Clock } from '@jackfield/ports';

/** Those that are called when events may have been committed. */
export interface CommitListeners {
  subscribe(listener: () => void, which?: 'of-this-process' | 'all'): () => void;
  /**
   * Reports whether any listener follows the commits of all processes: when the first one subscribes, when the last one leaves, and at once
   * where one is there. One follower per process; returns the function that ends it.
   */
  followReaders(report: (areThere: boolean) => void): () => void;
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
  let reportReaders = (_: boolean): void => {};

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
      if (joined === ofAll && ofAll.size === 1) reportReaders(true);
      return () => {
        if (!joined.delete(listener)) return;
        if (joined === ofAll && ofAll.size === 0) reportReaders(false);
        if (isEmpty()) close();
      };
    },
    followReaders(report) {
      reportReaders = report;
      if (ofAll.size > 0) report(true);
      return () => {
        reportReaders = () => {};
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
