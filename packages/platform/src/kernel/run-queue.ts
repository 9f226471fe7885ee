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
  // Emptied in place: a new array for each drain, of which a call has forty, would be 6 KB of garbage.
  const queue: ((() => void) | undefined)[] = [];
  let first = 0;
  let end = 0;
  let isBusy = false;

  function drain(): void {
    for (let runs = 0; first < end; runs++) {
      if (runs === runsPerTurn) {
        queue.splice(0, first);
        end -= first;
        first = 0;
        setImmediate(drain);
        return;
      }
      const run = queue[first]!;
      queue[first++] = undefined;
      run();
    }
    first = 0;
    end = 0;
    isBusy = false;
    whenEmpty();
  }

  return {
    push(run) {
      queue[end++] = run;
      if (isBusy) return;
      isBusy = true;
      drain();
    },
    get isEmpty() {
      return !isBusy;
    },
  };
}
