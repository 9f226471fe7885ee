import type { Database, Logger } from '@jackfield/ports';
import { Kysely, sql } from 'kysely';
import { createFence } from './fence.ts';
import { createLostCommits } from './lost-commits.ts';
import { migrate } from './migrate.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { PostgresUnitDialect } from './postgres-dialect.ts';
import { PostgresPools } from './postgres-pools.ts';
import type { ProcessLock } from './process-lock.ts';
import { saysUniqueViolation } from './unavailable-error.ts';
import type { WriteConnection } from './unit-lane.ts';
import { createUnitLanes } from './unit-lanes.ts';

export interface PostgresDatabaseOptions {
  /** `postgresql://user:password@host:port/database`, or `?host=/directory/of/the/socket`. */
  readonly url: string;
  /** Connections in all: those for writing, one for heartbeats where the database is shared, and at least one for reads. */
  readonly poolSize?: number;
  /** Connections for writing: one for each lane of units but that of heartbeats. */
  readonly writers?: number;
  /** Other processes use the database at the same time; false when left out. */
  readonly isShared?: boolean;
  /** The longest wait for the answer to a statement; after it the connection counts as lost. */
  readonly answerMs?: number;
  /** Excludes other processes; released on `close`. Without a lock several processes share the database. */
  readonly lock?: ProcessLock;
  readonly log: Logger;
}

const defaultPoolSize = 10;
/** Longer than a statement of a store takes on a busy server. */
const defaultAnswerMs = 30_000;
/** Measured on two cores: 1.2 to 2.4 times the units of one lane. */
const defaultWriters = 4;
/** Lanes of two processes have different numbers. */
const lanesPerSeat = 64;

/**
 * PostgreSQL 15 or newer. Units of a turn and lane run one after another inside one transaction, on connections that pipeline; reads run
 * on other connections, which refuse to write. Connects at the first use, and reconnects after a loss.
 */
export function createPostgresDatabase(options: PostgresDatabaseOptions): Database {
  const { url, log, lock, isShared = false, answerMs = defaultAnswerMs } = options;
  const { poolSize = defaultPoolSize, writers = defaultWriters } = options;
  // Heartbeats have a lane of their own, with the last number.
  const lanesInAll = writers + (isShared ? 1 : 0);
  if (writers < 1 || lanesInAll > lanesPerSeat || poolSize <= lanesInAll)
    throw new RangeError('each lane of units needs a connection, and reads need one');
  const readers = poolSize - lanesInAll;
  const pools = new PostgresPools({ url, log, writers, readers, isShared, answerMs, ...(lock && { lock }) });
  const writes = new WeakMap<PostgresConnection, WriteConnection>();

  function withWrites(connection: PostgresConnection): WriteConnection {
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
      acquire: () => pools.takeReader(),
      release: (connection) => connection.release(),
    }),
  });
  const fence = createFence();
  const lostCommits = createLostCommits(read);
  const lanes = createUnitLanes({
    connect: async () => withWrites(await pools.takeWriter()),
    ...(isShared ? { connectForHeartbeats: async () => withWrites(await pools.takeHeartbeatWriter()) } : {}),
    lanes: writers,
    wasCommitted: lostCommits.wasCommitted,
    fence,
    log,
  });
  let firstLane = 0;
  let closing: Promise<void> | undefined;

  return {
    dialect: 'postgres',
    read,
    async transact(work, options) {
      if (closing !== undefined) throw new Error('the database is closed');
      return lanes.transact(work, options);
    },
    isShared,
    lanes: lanesInAll,
    join(member) {
      if (!isShared) return;
      firstLane = member.seat * lanesPerSeat;
      fence.join(member);
    },
    laneOf: lanes.laneOf,
    laneOfUnit: (write) => firstLane + lanes.laneOfUnit(write),
    async migrate(migrations, areAll) {
      if (closing !== undefined) throw new Error('the database is closed');
      const client = await pools.connectAlone();
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
        await lostCommits.close();
        await read.destroy();
        await pools.end();
        await lock?.release();
      });
      return closing;
    },
  };
}
