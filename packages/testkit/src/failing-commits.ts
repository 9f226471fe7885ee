import type { Database } from '@jackfield/ports';

/** A database whose commits fail while the test says so, as with a full disk; reads succeed. */
export interface FailingCommits {
  readonly database: Database;
  /** The next so many commits fail, or those after the first that still succeed. */
  fail(count: number, options?: { readonly after?: number }): void;
}

export function createFailingCommits(database: Database): FailingCommits {
  let failing = 0;
  let succeeding = 0;
  return {
    database: Object.create(database, {
      transact: {
        value: ((work, options) => {
          if (failing === 0 || succeeding > 0) {
            succeeding = Math.max(0, succeeding - 1);
            return database.transact(work, options);
          }
          failing--;
          return Promise.reject(new Error('the disk is full'));
        }) satisfies Database['transact'],
      },
    }) as Database,
    fail(count, { after = 0 } = {}) {
      failing = count;
      succeeding = after;
    },
  };
}
