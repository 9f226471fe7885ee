import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface PreparedStatement {
  readonly statement: StatementSync;
  /** The names of the values of a row; empty for a statement without rows. */
  readonly columns: readonly string[];
  /** False for a statement that may write. */
  readonly isRead: boolean;
}

/** Prepared statements by their text; the least recently used statement is evicted. */
export interface StatementCache {
  prepare(sql: string): PreparedStatement;
  /** To be called after a change of the schema: the columns of a statement may have changed. */
  clear(): void;
}

/** Stores have a few hundred texts; the variants of `in (…)` lists must not grow memory without limit. */
const defaultCapacity = 512;

/** Whether the statement cannot write. */
export function isSelect(sql: string): boolean {
  return /^\s*select\b/i.test(sql);
}

export function createStatementCache(database: DatabaseSync, capacity = defaultCapacity): StatementCache {
  // A Map keeps the order of insertion: the first key is the oldest.
  const statements = new Map<string, PreparedStatement>();

  return {
    prepare(sql) {
      const cached = statements.get(sql);
      if (cached !== undefined) {
        // While the cache has room, moving a statement to the end at every use would cost more than the lookup.
        if (statements.size >= capacity) {
          statements.delete(sql);
          statements.set(sql, cached);
        }
        return cached;
      }
      const statement = database.prepare(sql);
      const columns = statement.columns().map(({ name }) => name);
      statement.setReturnArrays(columns.length > 0);
      const prepared = { statement, columns, isRead: isSelect(sql) };
      if (statements.size >= capacity) statements.delete(statements.keys().next().value!);
      statements.set(sql, prepared);
      return prepared;
    },
    clear: () => statements.clear(),
  };
}
