import type { Clock, Database } from '@jackfield/ports';
import { executedBy } from './executed-by.ts';

/**
 * Detects pending work that needs no time to pass: promises and commits. The thousands of packets and ticks cause no such work, so `settle`
 * waits only after `touched`.
 */
export interface Settling {
  /** Work began that may continue in promises. */
  touched(): void;
  /** Resolves when all begun work has settled; undefined where none has begun. */
  settle(): Promise<void> | undefined;
  /** `settle` waits for this work, which waits for something outside of the world. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  /** A part of work that `settle` waits for, which needs time to pass: it does not wait for that. */
  whileTimePasses(part: Promise<void>): Promise<void>;
  /** The clock of a part that uses promises: each of its timers calls `touched`. Whole milliseconds, like the system clock. */
  clock(clock: Clock): Clock;
  /** `settle` waits for the commits of this database, and for its reads where they take turns of the event loop. */
  database(database: Database): Database;
}

/** A commit takes two turns of the event loop; this many quiet turns in a row mean that no work follows. */
const quietTurns = 3;

export function createSettling(): Settling {
  let isTouched = true;
  let pending = 0;

  async function waitedFor<Result>(work: () => Promise<Result>): Promise<Result> {
    isTouched = true;
    pending++;
    try {
      return await work();
    } finally {
      pending--;
    }
  }

  return {
    touched() {
      isTouched = true;
    },
    // One promise instead of one a turn: each timer of a test settles.
    settle() {
      if (!isTouched) return undefined;
      return new Promise((resolve) => {
        let quiet = 0;
        const turn = () => {
          quiet = pending > 0 || isTouched ? 0 : quiet + 1;
          isTouched = false;
          if (quiet === quietTurns) resolve();
          else setImmediate(turn);
        };
        isTouched = false;
        setImmediate(turn);
      });
    },
    during: waitedFor,
    async whileTimePasses(part) {
      pending--;
      try {
        await part;
      } finally {
        pending++;
        isTouched = true;
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
      let read: Database['read'] | undefined;
      return Object.create(database, {
        read: {
          get() {
            // The embedded database reads at once.
            if (database.dialect === 'sqlite') return database.read;
            read ??= executedBy(database.read.getExecutor(), (...query) =>
              waitedFor(() => database.read.getExecutor().executeQuery(...query)),
            );
            return read;
          },
        },
        transact: {
          value: ((work, options) =>
            waitedFor(() => database.transact(work, options))) as Database['transact'],
        },
      });
    },
  };
}
