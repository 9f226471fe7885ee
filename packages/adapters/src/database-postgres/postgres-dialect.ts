import {
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCompiler,
} from 'kysely';
import type { PostgresConnection } from './postgres-connection.ts';

/** The targets of kysely's queries: a pool for reads, one connection for the units of a group. */
export interface Connections {
  acquire(): Promise<PostgresConnection>;
  release(connection: PostgresConnection): void;
}

/** Kysely over connections whose transactions are savepoints inside the group's own BEGIN … COMMIT. */
export class PostgresUnitDialect implements Dialect {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  createDriver(): Driver {
    return new PostgresUnitDriver(this.#connections);
  }

  createQueryCompiler(): QueryCompiler {
    return new PostgresQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new PostgresAdapter();
  }

  createIntrospector(database: Kysely<unknown>): DatabaseIntrospector {
    return new PostgresIntrospector(database);
  }
}

class PostgresUnitDriver implements Driver {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<PostgresConnection> {
    return this.#connections.acquire();
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    this.#connections.release(connection);
  }

  async beginTransaction(connection: PostgresConnection): Promise<void> {
    connection.beginUnit();
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    connection.commitUnit();
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    connection.rollBackUnit();
  }

  // The opener of the database opens and closes the pools.
  async destroy(): Promise<void> {}
}
