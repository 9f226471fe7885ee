import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface PreparedStatement {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/** Prepared statements by their text; the one that was not used for longest makes room. */
export interface StatementCache {
  prepare(sql: string): PreparedStatement;
}

/** Stores have a few hundred different texts; lists with `in (…)` of any length must not grow memory without end. */
const defaultCapacity = 512;

export function createStatementCache(database: DatabaseSync, capacity = defaultCapacity): StatementCache {
  // A Map keeps the order of insertion: the first key is the oldest.
  const statements = new Map<string, PreparedStatement>();

  return {
    prepare(sql) {
      const cached = statements.get(sql);
      if (cached !== undefined) {
        // Moving a statement to the end at every use would cost more than the look-up while nothing has to leave.
        if (statements.size >= capacity) {
          statements.delete(sql);
          statements.set(sql, cached);
        }
        return cached;
      }
      const statement = database.prepare(sql);
      const prepared = { statement, returnsRows: statement.columns().length > 0 };
      if (statements.size >= capacity) statements.delete(statements.keys().next().value!);
      statements.set(sql, prepared);
      return prepared;
    },
  };
}
