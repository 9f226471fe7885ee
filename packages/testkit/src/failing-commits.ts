import type { Database } from '@jackfield/ports';

/** A database whose commits fail while the test says so, as with a full disk; reads succeed. */
export interface FailingCommits {
  readonly database: Database;
  /** The next so many commits fail, or those after the first that still succeed. */
  fail(count: number, options?: { readonly after?: number; readonly error?: Error }): void;
}

const full = new Error('the disk is full');

/** As the adapters reject while the database is unreachable, full or read-only. */
export const databaseUnavailable = Object.assign(new Error('the database is away'), {
  code: 'database-unavailable',
});

export function createFailingCommits(database: Database): FailingCommits {
  let failing = 0;
  let succeeding = 0;
  let thrown = full;
  return {
    database: Object.create(database, {
      transact: {
        value: ((work, options) => {
          if (failing === 0 || succeeding > 0) {
            succeeding = Math.max(0, succeeding - 1);
            return database.transact(work, options);
          }
          failing--;
          return Promise.reject(thrown);
        }) satisfies Database['transact'],
      },
    }) as Database,
    fail(count, { after = 0, error = full } = {}) {
      failing = count;
      succeeding = after;
      thrown = error;
    },
  };
}
