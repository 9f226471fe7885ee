import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { PoolClient } from 'pg';
import {
  DatabaseUnavailableError,
  LostCommitError,
  saysBeginAgain,
  saysConnectionLost,
  saysPlanIsStale,
} from './unavailable-error.ts';

/** Stores have a few hundred texts; the variants of `in (…)` lists must not grow the server's memory without limit. */
const namedStatements = 256;

const ownTransaction = 'SELECT pg_current_xact_id()::text AS id';

/** One pooled connection for kysely. Its transactions are units: savepoints inside a group's transaction. */
export class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #statementNames = new Map<string, string>();
  #unit: { failed: boolean } | undefined;
  /** Why the whole group has to stop: the connection is lost, or another transaction conflicts. */
  #fatal: unknown;
  #isStale = false;

  constructor(client: PoolClient) {
    this.#client = client;
    // Runs before the rejections of the queries in flight.
    client.on('error', (error) => {
      this.#fatal ??= lost(error);
    });
  }

  get fatal(): unknown {
    return this.#fatal;
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
      // Of several queries in flight the later ones may fail after the next unit has begun.
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

  /** As `order`, with the number of rows; after a failure of the connection the number never comes back as 0. */
  async ask(sql: string, values: unknown[]): Promise<number> {
    try {
      return (await this.#client.query({ text: sql, values, ...this.#named(sql) })).rows.length;
    } catch (error) {
      this.#read(error);
      return Number.NaN;
    }
  }

  /** The name of the transaction, which outlives its connection; resolves ahead of the answers to later statements. */
  async transactionId(): Promise<string | undefined> {
    try {
      const { rows } = await this.#client.query({ text: ownTransaction, ...this.#named(ownTransaction) });
      return rows[0]?.id;
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
      if (!(cause instanceof DatabaseUnavailableError)) throw cause;
      throw new LostCommitError(transaction, cause.cause);
    }
  }

  beginUnit(): void {
    this.order('SAVEPOINT unit');
    this.#unit = { failed: false };
  }

  commitUnit(): void {
    if (this.#unit?.failed) {
      throw new Error('a statement of this transaction has failed, and its error was dropped');
    }
    this.order('RELEASE unit');
    this.#unit = undefined;
  }

  rollBackUnit(): void {
    this.#unit = undefined;
    if (this.#fatal !== undefined) return;
    this.order('ROLLBACK TO unit');
    this.order('RELEASE unit');
  }

  /** Rolls back open work and returns the connection to the pool. */
  release(): void {
    const { fatal } = this;
    this.#fatal = undefined;
    this.#unit = undefined;
    this.#client.release(fatal instanceof DatabaseUnavailableError || this.#isStale);
  }

  /** Rolls the group back and clears its failure, unless the connection is lost. */
  rollBack(): void {
    if (this.#fatal instanceof DatabaseUnavailableError) return;
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
    if (this.#fatal instanceof DatabaseUnavailableError) return this.#fatal;
    if (saysConnectionLost(error)) this.#fatal = lost(error);
    else if (saysPlanIsStale(error)) {
      this.#isStale = true;
      this.#fatal = error;
    } else if (saysBeginAgain(error)) this.#fatal = error;
    else return error;
    return this.#fatal;
  }
}

function lost(cause: unknown): DatabaseUnavailableError {
  return new DatabaseUnavailableError('the connection to the database was lost', cause);
}
