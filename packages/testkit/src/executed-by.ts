import type { Database } from '@jackfield/ports';
import { Kysely, type QueryExecutor } from 'kysely';

/** Queries that compile as those of `read` and are carried out by `execute`. */
export function executedBy(read: Database['read'], execute: QueryExecutor['executeQuery']): Database['read'] {
  const executor = new Proxy(read.getExecutor(), {
    get(compiling, name) {
      if (name === 'executeQuery') return execute;
      const value = Reflect.get(compiling, name, compiling);
      return typeof value === 'function' ? value.bind(compiling) : value;
    },
  });
  // Only the executor takes part in a query.
  return new Kysely({ executor, config: {}, driver: {}, dialect: {} } as never);
}
