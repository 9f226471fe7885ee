import {
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  DialectAdapterBase,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type SelectModifierNode,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqliteConnection } from './sqlite-connection.ts';

/** Kysely over one connection that is already open. Transactions are units of work, which kysely neither begins nor ends. */
export class SqliteDialect implements Dialect {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  createDriver(): Driver {
    return new SqliteDriver(this.#connection);
  }

  createQueryCompiler(): QueryCompiler {
    return new LocklessCompiler();
  }

  createAdapter(): DialectAdapter {
    return new SqliteDialectAdapter();
  }

  createIntrospector(database: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(database);
  }
}

const locks: ReadonlySet<string> = new Set([
  'ForUpdate',
  'ForNoKeyUpdate',
  'ForShare',
  'ForKeyShare',
  'NoWait',
  'SkipLocked',
]);

/** Units run one after another: locks on rows are left out. */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || !locks.has(node.modifier)) super.visitSelectModifier(node);
  }
}

const notByKysely = 'a transaction is a unit of work: use transact of the database port';

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error(notByKysely);
  }

  async commitTransaction(): Promise<void> {
    throw new Error(notByKysely);
  }

  async rollbackTransaction(): Promise<void> {
    throw new Error(notByKysely);
  }

  // The opener of the database opens and closes the file.
  async destroy(): Promise<void> {}
}

class SqliteDialectAdapter extends DialectAdapterBase {
  // Units already run one after another; kysely's own lock on the connection would cost a promise per query.
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  override get supportsReturning(): boolean {
    return true;
  }

  async acquireMigrationLock(): Promise<void> {}

  async releaseMigrationLock(): Promise<void> {}
}
