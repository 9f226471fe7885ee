import type { Clock, Database } from '@jackfield/ports';

/**
 * Knows whether anything is left that happens without time passing: promises, commits. Packets and ticks set off none of
 * that, and there are thousands of them, so only what was touched is waited for.
 */
export interface Settling {
  /** Something began that may go on in promises. */
  touched(): void;
  /** Resolves when everything that began has come to rest. */
  settle(): Promise<void>;
  /** The clock of a part that works with promises: each of its timers touches. Whole milliseconds, like the system's. */
  clock(clock: Clock): Clock;
  /** Commits of this database are waited for. */
  database(database: Database): Database;
}

/** A commit takes two turns of the event loop; so many quiet ones in a row mean that nothing follows. */
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
