import type { Database } from '@jackfield/ports';

/** A database whose commits fail while the test says so, as with a full disk; reads succeed. */
export interface FailingCommits {
  readonly database: Database;
  /** The next so many commits fail. */
  fail(count: number): void;
}

export function createFailingCommits(database: Database): FailingCommits {
  let failing = 0;
  return {
    database: Object.assign(Object.create(database) as Database, {
      transact: ((work, options) => {
        if (failing === 0) return database.transact(work, options);
        failing--;
        return Promise.reject(new Error('the disk is full'));
      }) as Database['transact'],
    }),
    fail(count) {
      failing = count;
    },
  };
}
