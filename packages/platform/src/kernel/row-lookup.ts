import type { Database } from '@jackfield/ports';
import type { CompiledQuery } from 'kysely';

/** Finds the row of a key. */
export type RowLookup<Row> = (key: string) => Promise<Row | undefined>;

/**
 * Looks rows up with one query, which is compiled once: building a query costs more than running it, and calls look rows up by the
 * hundred. `compiled` has one parameter, the key.
 */
export function rowLookup<Row>(
  { read }: Pick<Database, 'read'>,
  compiled: Pick<CompiledQuery, 'query' | 'queryId' | 'sql' | 'parameters'>,
): RowLookup<Row> {
  if (compiled.parameters.length !== 1) throw new TypeError(`A look-up has one parameter: ${compiled.sql}`);
  return async (key) => {
    const query = { ...compiled, parameters: [key] } as CompiledQuery<Row>;
    return (await read.executeQuery(query)).rows[0];
  };
}
