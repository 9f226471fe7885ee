import type { Database, Logger } from '@jackfield/ports';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { migrate } from './migrate.ts';
import { numberTypes } from './number-types.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { PostgresUnitDialect } from './postgres-dialect.ts';
import { applicationName, type ProcessLock } from './process-lock.ts';
import { DatabaseUnavailableError, saysUniqueViolation } from './unavailable-error.ts';
import { createUnitLanes, type WriteConnection } from './unit-lanes.ts';

export interface PostgresDatabaseOptions {
  /** `postgresql://user:password@host:port/database`, or `?host=/directory/of/the/socket`. */
  readonly url: string;
  /** Connections in all; at least 2. */
  readonly poolSize?: number;
  /** Connections for writing. With more than one, transactions of this node can conflict with each other. */
  readonly writers?: number;
  /** Excludes other processes; released on `close`. Without a lock several processes share the database. */
  readonly lock?: ProcessLock;
  readonly log: Logger;
}

const defaultPoolSize = 10;
const defaultWriters = 1;

/**
 * PostgreSQL 15 or newer. Units of a turn run one after another inside one transaction, on connections that pipeline; reads run on other
 * connections, which refuse to write. Connects at the first use, and reconnects after a loss.
 */
export function createPostgresDatabase(options: PostgresDatabaseOptions): Database {
  const { url, log, lock, poolSize = defaultPoolSize, writers = defaultWriters } = options;
  if (writers < 1 || poolSize <= writers)
    throw new RangeError('one connection is needed for reads, one for writes');
  const settings = {
    connectionString: url,
    types: numberTypes,
    application_name: applicationName,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    // A peer that vanished without closing would otherwise block its queries, and everything behind them, for ever.
    query_timeout: 30_000,
  };
  const writePool = new pg.Pool({
    ...settings,
    pipeline: true,
    max: writers,
    idle_in_transaction_session_timeout: 60_000,
  } as pg.PoolConfig);
  const readPool = new pg.Pool({ ...settings, max: poolSize - writers });
  readPool.on('connect', (client) => {
    // If this fails, the next query on the connection fails as well.
    client.query('SET default_transaction_read_only = on').catch(() => {});
  });
  for (const pool of [writePool, readPool]) {
    pool.on('error', ({ message }) =>
      log.warn({ reason: message }, 'idle connection to the database was lost'),
    );
  }

  const connections = new WeakMap<pg.PoolClient, PostgresConnection>();
  const writes = new WeakMap<PostgresConnection, WriteConnection>();

  async function take(pool: pg.Pool): Promise<PostgresConnection> {
    const client = await pool.connect().catch((cause: unknown) => {
      throw new DatabaseUnavailableError('no connection to the database could be made', cause);
    });
    const known = connections.get(client);
    if (known !== undefined) return known;
    if (pool === writePool) await admit(client);
    const connection = new PostgresConnection(client);
    connections.set(client, connection);
    return connection;
  }

  async function admit(client: pg.PoolClient): Promise<void> {
    // Until the connection is wrapped, only this listener sees its end.
    const ignore = (): void => {};
    client.on('error', ignore);
    try {
      await lock?.admitWriter(client);
    } catch (cause) {
      client.release(true);
      throw cause instanceof DatabaseUnavailableError
        ? cause
        : new DatabaseUnavailableError('the connection to the database was lost', cause);
    }
    client.off('error', ignore);
  }

  async function connectToWrite(): Promise<WriteConnection> {
    const connection = await take(writePool);
    const known = writes.get(connection);
    if (known !== undefined) return known;
    const dialect = new PostgresUnitDialect({ acquire: async () => connection, release: () => {} });
    // biome-ignore lint/complexity/noBannedTypes: no table is known here; each store names its own.
    const created = { connection, write: new Kysely<{}>({ dialect }) };
    writes.set(connection, created);
    return created;
  }

  // biome-ignore lint/complexity/noBannedTypes: as above
  const read = new Kysely<{}>({
    dialect: new PostgresUnitDialect({
      acquire: () => take(readPool),
      release: (connection) => connection.release(),
    }),
  });
  const lanes = createUnitLanes({ connect: connectToWrite, lanes: writers, log });
  let closing: Promise<void> | undefined;

  return {
    dialect: 'postgres',
    read,
    async transact(work) {
      if (closing !== undefined) throw new Error('the database is closed');
      return lanes.transact(work);
    },
    async migrate(migrations, areAll) {
      if (closing !== undefined) throw new Error('the database is closed');
      const client = new pg.Client({ ...settings, query_timeout: 0 } as pg.ClientConfig);
      client.on('error', ({ message }) => log.warn({ reason: message }, 'migration connection lost'));
      await client.connect().catch((cause: unknown) => {
        throw new DatabaseUnavailableError('no connection to the database could be made', cause);
      });
      try {
        const applied = await migrate(client, migrations, areAll);
        if (applied.length > 0) log.info({ migrations: applied }, 'database migrations applied');
      } finally {
        await client.end();
      }
    },
    async isNew() {
      const { rows } = await sql<{
        found: string | null;
      }>`SELECT to_regclass('schema_migrations')::text AS found`.execute(read);
      return rows[0]?.found == null;
    },
    isUniqueViolation: saysUniqueViolation,
    close() {
      closing ??= lanes.idle().then(async () => {
        await read.destroy();
        await Promise.all([writePool.end(), readPool.end()]);
        await lock?.release();
      });
      return closing;
    },
  };
}
