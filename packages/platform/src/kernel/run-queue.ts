/** Runs pushed functions one after another, never inside each other: a run that is pushed by a run waits for its end. */
export interface RunQueue {
  /** Runs at once when nothing else is running. A run must not throw. */
  push(run: () => void): void;
  readonly isEmpty: boolean;
}

/** So many steps last some 10 ms: machines that answer each other for ever must not keep sockets and timers waiting. */
const defaultRunsPerTurn = 10_000;

/** `whenEmpty` is called each time the last run has ended. */
export function createRunQueue(whenEmpty: () => void, runsPerTurn = defaultRunsPerTurn): RunQueue {
  let queue: (() => void)[] = [];
  let isBusy = false;

  function drain(): void {
    for (let next = 0; next < queue.length; next++) {
      if (next === runsPerTurn) {
        queue = queue.slice(next);
        setImmediate(drain);
        return;
      }
      queue[next]!();
    }
    queue = [];
    isBusy = false;
    whenEmpty();
  }

  return {
    push(run) {
      queue.push(run);
      if (isBusy) return;
      isBusy = true;
      drain();
    },
    get isEmpty() {
      return !isBusy;
    },
  };
}
