import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { createStatementCache, type StatementCache } from './statement-cache.ts';
import { explained } from './unavailable-error.ts';

/** One connection to the file; every query runs at once, on this thread. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements: StatementCache;
  #unit: 'none' | 'open' | 'failed' = 'none';
  #hasSavepoint = false;
  /** Whether the unit has run a statement that may write. */
  #hasWritten = false;
  /** Whether the open transaction is that between two groups. */
  #isReading = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = createStatementCache(database);
  }

  /** Not `async`, like its callers: each `async` function that only waits for another one costs a turn of the microtasks. */
  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    // PostgreSQL refuses every statement after a failed one; code for one database must work on the other.
    if (this.#unit === 'failed') {
      return Promise.reject(new Error('a statement of this transaction has failed; it will be rolled back'));
    }
    try {
      return Promise.resolve(this.#run<Row>(query));
    } catch (error) {
      if (this.#unit === 'open') this.#unit = 'failed';
      return Promise.reject(explained(error));
    }
  }

  /**
   * Opens a transaction for the queries between two groups, which lasts until the next group. Only this connection writes, so nothing that they see
   * becomes old. A transaction for each query takes and frees a lock of the file, and that costs twice as much as a look-up by a key.
   */
  beginReading(): void {
    if (this.#isReading) return;
    this.order('BEGIN');
    this.#isReading = true;
  }

  endReading(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    // An error of a query may have ended it.
    if (this.#database.isTransaction) this.order('COMMIT');
  }

  beginGroup(): void {
    this.endReading();
    this.order('BEGIN IMMEDIATE');
  }

  /** Whether a group is open. A full or broken disk ends it. */
  get isInGroup(): boolean {
    return !this.#isReading && this.#database.isTransaction;
  }

  // biome-ignore lint/correctness/useYield: the port has no streaming, and a cursor held open would block the writer.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are read in pages, not streamed');
  }

  /** Runs a statement without parameters and result, such as SAVEPOINT. */
  order(sql: string): void {
    this.#statements.prepare(sql).statement.run();
  }

  /** After a change of the schema, perhaps by another connection: only a query that runs loads the new schema. */
  loadSchema(): void {
    this.#database.exec('SELECT 1 FROM sqlite_schema LIMIT 1');
    this.#statements.clear();
  }

  /** `apart`: with a savepoint, so that the unit can be rolled back without the others. */
  beginUnit(apart: boolean): void {
    if (apart) this.order('SAVEPOINT unit');
    this.#hasSavepoint = apart;
    this.#hasWritten = false;
    this.#unit = 'open';
  }

  commitUnit(): void {
    if (this.#unit === 'failed') {
      throw new Error('a statement of this transaction has failed, and its error was dropped');
    }
    if (this.#hasSavepoint) this.order('RELEASE unit');
    this.#unit = 'none';
  }

  /** Rolls the unit back; true when nothing of it is left in the transaction. */
  rollBackUnit(): boolean {
    this.#unit = 'none';
    // On a full disk SQLite itself rolls back the whole transaction, and the savepoint with it.
    if (!this.#hasSavepoint || !this.#database.isTransaction) return !this.#hasWritten;
    this.order('ROLLBACK TO unit');
    this.order('RELEASE unit');
    return true;
  }

  #run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const { statement, columns, isRead } = this.#statements.prepare(sql);
    if (!isRead) this.#hasWritten = true;
    const values = parameters as readonly SQLInputValue[];
    if (columns.length > 0) {
      const rows = statement.all(...values) as unknown as readonly (readonly SQLOutputValue[])[];
      return { rows: rows.map((row) => rowOf(columns, row)) as Row[] };
    }
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }
}

/**
 * A row as an ordinary object, as PostgreSQL returns it. Node's own row has no prototype, so it is not deeply equal to such an object; copying it
 * costs twice as much as building one from an array of values.
 */
function rowOf(
  columns: readonly string[],
  values: readonly SQLOutputValue[],
): Readonly<Record<string, SQLOutputValue>> {
  const row: Record<string, SQLOutputValue> = {};
  for (let at = 0; at < columns.length; at++) row[columns[at]!] = values[at]!;
  return row;
}
