import type { Database } from '@jackfield/ports';
import type { KyselyPlugin } from 'kysely';

/** A database that counts its pending reads and units of work, so that a test can wait for all of them. */
export interface WatchedDatabase {
  readonly database: Database;
  readonly pending: () => number;
}

/** Failed reads stay pending: a test of failing reads waits for something else. */
export function watchDatabase(watched: Database): WatchedDatabase {
  let pending = 0;
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      pending++;
      return node;
    },
    async transformResult({ result }) {
      pending--;
      return result;
    },
  };
  return {
    pending: () => pending,
    database: {
      ...watched,
      read: watched.read.withPlugin(counting),
      async transact(work) {
        pending++;
        try {
          return await watched.transact(work);
        } finally {
          pending--;
        }
      },
    },
  };
}
