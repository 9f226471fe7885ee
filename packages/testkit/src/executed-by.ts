import type { Database } from '@jackfield/ports';
import { Kysely, type QueryExecutor } from 'kysely';

/** Queries that `compiler` compiles and `execute` carries out. Those with plugins run on connections of `compiler`. */
export function executedBy(
  compiler: QueryExecutor,
  execute: QueryExecutor['executeQuery'],
): Database['read'] {
  const executor = new Proxy(compiler, {
    get(compiling, name) {
      if (name === 'executeQuery') return execute;
      const value = Reflect.get(compiling, name, compiling);
      return typeof value === 'function' ? value.bind(compiling) : value;
    },
  });
  // Only the executor takes part in a query.
  return new Kysely({ executor, config: {}, driver: {}, dialect: {} } as never);
}
