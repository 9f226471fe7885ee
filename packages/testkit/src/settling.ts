import type { Clock, Database } from '@jackfield/ports';

/**
 * Detects pending work that needs no time to pass: promises and commits. The thousands of packets and ticks cause no such work, so `settle`
 * waits only after `touched`.
 */
export interface Settling {
  /** Work began that may continue in promises. */
  touched(): void;
  /** Resolves when all begun work has settled. */
  settle(): Promise<void>;
  /** The clock of a part that uses promises: each of its timers calls `touched`. Whole milliseconds, like the system clock. */
  clock(clock: Clock): Clock;
  /** `settle` waits for the commits of this database. */
  database(database: Database): Database;
}

/** A commit takes two turns of the event loop; this many quiet turns in a row mean that no work follows. */
const quietTurns = 3;

export function createSettling(): Settling {
  let isTouched = true;
  let committing = 0;

  return {
    touched() {
      isTouched = true;
    },
    async settle() {
      if (!isTouched) return;
      for (let quiet = 0; quiet < quietTurns; ) {
        isTouched = false;
        await new Promise<void>((resolve) => setImmediate(resolve));
        quiet = committing > 0 || isTouched ? 0 : quiet + 1;
      }
    },
    clock(clock) {
      return {
        now: () => Math.floor(clock.now()),
        wallNow: () => Math.floor(clock.wallNow()),
        startTimer: (at, fire) =>
          clock.startTimer(at, () => {
            isTouched = true;
            fire();
          }),
      };
    },
    database(database) {
      return {
        ...database,
        async transact(work) {
          isTouched = true;
          committing++;
          try {
            return await database.transact(work);
          } finally {
            committing--;
          }
        },
      };
    },
  };
}
