import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { PoolClient } from 'pg';
import {
  DatabaseUnavailableError,
  LostCommitError,
  saysBeginAgain,
  saysConnectionLost,
  saysPlanIsStale,
  saysServerIsFull,
  saysServerIsReadOnly,
} from './unavailable-error.ts';

/** Stores have a few hundred texts; the variants of `in (…)` lists must not grow the server's memory without limit. */
const namedStatements = 256;

type Rows = readonly Readonly<Record<string, unknown>>[];

/** One pooled connection for kysely. Its transactions are units: savepoints inside a group's transaction. */
export class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #isWriter: boolean;
  readonly #statementNames = new Map<string, string>();
  #unit: { failed: boolean } | undefined;
  #hasSavepoints = true;
  #isRolledBack = false;
  /** Why the whole group has to stop: the connection is lost, the server cannot write, or another transaction conflicts. */
  #fatal: unknown;
  #isLost = false;
  /** Not used again: its plans are stale, or its server only reads. A server that has been succeeded by another one stays so. */
  #isUseless = false;

  /** On a connection for reads a statement that writes is a fault of its caller. */
  constructor(client: PoolClient, { isWriter }: { readonly isWriter: boolean }) {
    this.#client = client;
    this.#isWriter = isWriter;
    // Runs before the rejections of the queries in flight.
    client.on('error', (error) => {
      this.#isLost = true;
      this.#fatal ??= lost(error);
    });
  }

  get fatal(): unknown {
    return this.#fatal;
  }

  /** The only unit of the group has failed: there is nothing to commit. */
  get isRolledBack(): boolean {
    return this.#isRolledBack;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const unit = this.#unit;
    if (unit?.failed) throw new Error('a statement of this transaction has failed; it will be rolled back');
    try {
      const values = parameters as unknown[];
      const query = { text: sql, values, ...this.#named(sql) };
      const { rows, rowCount, command } = await this.#client.query(query);
      const changes =
        command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE';
      return changes ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
    } catch (error) {
      // When several queries are in flight, later ones may fail after the next unit has begun.
      if (unit !== undefined) unit.failed = true;
      throw this.#read(error);
    }
  }

  // biome-ignore lint/correctness/useYield: the port has no streaming, and a cursor would hold a connection.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are read in pages, not streamed');
  }

  /**
   * Sends a statement without waiting for its answer: the connection pipelines, so it costs no round trip. After its failure every later
   * statement fails too, COMMIT at the latest.
   */
  order(sql: string): void {
    this.#client.query(sql).catch((error) => this.#read(error));
  }

  /**
   * Begins a transaction for some units. The statements travel as one message, and cost no round trip: the connection pipelines. Resolves with
   * the rows of each, or with undefined after a failure, which every later statement meets as well. A single unit needs no savepoint.
   */
  async begin(statements: readonly string[], units: number): Promise<readonly Rows[] | undefined> {
    this.#hasSavepoints = units > 1;
    try {
      const answers: unknown = await this.#client.query(statements.join('; '));
      const results = (Array.isArray(answers) ? answers : [answers]) as readonly { readonly rows: Rows }[];
      return results.map(({ rows }) => rows);
    } catch (error) {
      this.#read(error);
      return undefined;
    }
  }

  /**
   * Resolves when the changes are durable; rejects with `LostCommitError` when the connection was lost and so it is not known whether they
   * are. `transaction` is its name.
   */
  async commit(transaction: string | undefined): Promise<void> {
    try {
      const { command } = await this.#client.query('COMMIT');
      // PostgreSQL answers a COMMIT of a failed transaction with ROLLBACK, and no error.
      if (command !== 'COMMIT') throw new Error('the transaction had failed and was rolled back');
    } catch (error) {
      const cause = this.#read(error);
      if (this.#isLost && cause instanceof DatabaseUnavailableError)
        throw new LostCommitError(transaction, cause.cause);
      throw cause;
    }
  }

  beginUnit(): void {
    if (this.#hasSavepoints) this.order('SAVEPOINT unit');
    this.#unit = { failed: false };
  }

  commitUnit(): void {
    if (this.#unit?.failed) {
      throw new Error('a statement of this transaction has failed, and its error was dropped');
    }
    if (this.#hasSavepoints) this.order('RELEASE unit');
    this.#unit = undefined;
  }

  rollBackUnit(): void {
    this.#unit = undefined;
    if (this.#fatal !== undefined) return;
    if (this.#hasSavepoints) this.order('ROLLBACK TO unit; RELEASE unit');
    else this.rollBack();
  }

  /** Rolls back open work and returns the connection to the pool. */
  release(): void {
    this.#fatal = undefined;
    this.#unit = undefined;
    this.#isRolledBack = false;
    this.#client.release(this.#isLost || this.#isUseless);
  }

  /** Rolls the group back, unless that has been done or the connection is lost. */
  rollBack(): void {
    if (this.#isRolledBack || this.#isLost) return;
    this.#isRolledBack = true;
    this.order('ROLLBACK');
  }

  /** A statement with a name is parsed and planned once for each connection. */
  #named(text: string): { readonly name?: string } {
    let name = this.#statementNames.get(text);
    if (name === undefined) {
      if (this.#statementNames.size === namedStatements) return {};
      name = `s${this.#statementNames.size}`;
      this.#statementNames.set(text, name);
    }
    return { name };
  }

  #read(error: unknown): unknown {
    if (saysConnectionLost(error)) this.#isLost = true;
    if (this.#fatal instanceof DatabaseUnavailableError) return this.#fatal;
    const fatal = this.#isLost ? lost(error) : this.#fatalOf(error);
    if (fatal === undefined) return error;
    this.#fatal = fatal;
    return fatal;
  }

  #fatalOf(error: unknown): unknown {
    if (saysServerIsFull(error))
      return new DatabaseUnavailableError(
        'the database server has no space, memory or connection left',
        error,
      );
    const isReadOnly = this.#isWriter && saysServerIsReadOnly(error);
    if (isReadOnly || saysPlanIsStale(error)) this.#isUseless = true;
    if (isReadOnly) return new DatabaseUnavailableError('the database server is read-only', error);
    return saysBeginAgain(error) ? error : undefined;
  }
}

function lost(cause: unknown): DatabaseUnavailableError {
  return new DatabaseUnavailableError('the connection to the database was lost', cause);
}
