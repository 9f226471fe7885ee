import type { Read, Write } from '@jackfield/ports';
import {
  type AbortableQueryOptions,
  type CompiledQuery,
  DefaultQueryExecutor,
  type DialectAdapter,
  Kysely,
  type QueryCompiler,
  type QueryResult,
  Transaction,
} from 'kysely';
import type { SqliteConnection } from './sqlite-connection.ts';
import { SqliteDialect } from './sqlite-dialect.ts';

/** The transaction of one unit of work. */
export interface Unit {
  readonly write: Write;
  /** From now on its queries are refused. */
  close(): void;
}

/**
 * Runs queries on its connection at once. Kysely's own executor asks a driver for a connection, and its transactions wrap that executor twice:
 * six promises for each query, which cost as much as the query.
 */
class SqliteExecutor extends DefaultQueryExecutor {
  readonly #connectionFor: ConnectionFor;
  #isOpen = true;

  constructor(connection: SqliteConnection, { compiler, adapter }: Compiling, connectionFor: ConnectionFor) {
    super(compiler, adapter, {
      // For queries with plugins.
      provideConnection: async (consume) => {
        this.#refuseWhenClosed();
        return consume(connection);
      },
    });
    this.#connectionFor = connectionFor;
  }

  override executeQuery<Row>(
    query: CompiledQuery,
    options?: AbortableQueryOptions,
  ): Promise<QueryResult<Row>> {
    if (options?.signal !== undefined) return super.executeQuery(query, options);
    if (!this.#isOpen) return Promise.reject(unitHasEnded());
    return this.#connectionFor(query).executeQuery<Row>(query);
  }

  close(): void {
    this.#isOpen = false;
  }

  #refuseWhenClosed(): void {
    if (!this.#isOpen) throw unitHasEnded();
  }
}

function unitHasEnded(): Error {
  return new Error('the unit of this transaction has ended');
}

type ConnectionFor = (query: CompiledQuery) => SqliteConnection;

/** Compiles queries. Stateless and shared, because creating it costs more than running a query. */
interface Compiling {
  readonly compiler: QueryCompiler;
  readonly adapter: DialectAdapter;
}

function compilingOf(dialect: SqliteDialect): Compiling {
  return { compiler: dialect.createQueryCompiler(), adapter: dialect.createAdapter() };
}

/** Queries on the connection for reading, or on another connection that sees the same and is cheaper for the query. */
export function readerOf(connection: SqliteConnection, connectionFor: ConnectionFor): Read {
  const dialect = new SqliteDialect(connection);
  const executor = new SqliteExecutor(connection, compilingOf(dialect), connectionFor);
  return new Kysely({ config: { dialect }, dialect, driver: dialect.createDriver(), executor });
}

/** Opens units of work on a connection for writing. */
export function unitsOn(connection: SqliteConnection): () => Unit {
  const dialect = new SqliteDialect(connection);
  const shared = { config: { dialect }, dialect, driver: dialect.createDriver() };
  const compiling = compilingOf(dialect);
  const always: ConnectionFor = () => connection;
  return () => {
    const executor = new SqliteExecutor(connection, compiling, always);
    return { write: new Transaction({ ...shared, executor }), close: () => executor.close() };
  };
}
