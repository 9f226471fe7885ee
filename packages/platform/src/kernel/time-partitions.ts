import type { Clock, Database, Logger, Read, Write } from '@jackfield/ports';
import { sql } from 'kysely';
import { boundAt, type FoundPartition, type Partition, planPartitions } from './partition-plan.ts';

/** A table whose keys are identifiers in the order of time, and whose rows are removed by their age. */
export interface AgingTable {
  readonly name: string;
  /** The column with the time from which the age of a row counts, with an index. */
  readonly since: string;
  readonly keepMs: number;
}

/** The partitions of a table on PostgreSQL: rows that are old together are dropped together. The embedded database has none. */
export interface TimePartitions {
  /**
   * Creates the partitions of the coming time, and drops those whose rows are all too old. Resolves with the tables from which old rows have
   * to be deleted.
   */
  maintain(): Promise<readonly string[]>;
}

interface TimePartitionsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

/** While a change of the partitions waits for readers, writers wait behind it; a backup reads for hours. */
const longestWait = '250ms';

export function createTimePartitions(
  { database, clock, log }: TimePartitionsDeps,
  { name: table, since, keepMs }: AgingTable,
): TimePartitions {
  if (database.dialect === 'sqlite') return { maintain: async () => [table] };
  const partitions = sql<FoundPartition>`
    SELECT relname AS name, pg_get_expr(relpartbound, pg_class.oid) AS bound
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = ${sql.lit(table)}::regclass`.compile(
    database.read,
  );

  async function create({ name, from, to }: Partition): Promise<void> {
    const isCreated = await change(async (write) => {
      await sql`CREATE TABLE ${sql.table(name)} (LIKE ${sql.table(table)} INCLUDING DEFAULTS)`.execute(write);
      await sql`ALTER TABLE ${sql.table(table)} ATTACH PARTITION ${sql.table(name)}
        FOR VALUES FROM (${sql.lit(boundAt(from))}) TO (${sql.lit(boundAt(to))})`.execute(write);
      return true;
    });
    if (isCreated) log.info({ table, partition: name }, 'partition created');
  }

  async function drop(name: string): Promise<boolean> {
    const oldest = clock.wallNow() - keepMs;
    const hasYounger = async (on: Read) => {
      const found = sql`SELECT 1 FROM ${sql.table(name)} WHERE ${sql.ref(since)} >= ${oldest} LIMIT 1`;
      return (await found.execute(on)).rows.length > 0;
    };
    if (await hasYounger(database.read)) return false;
    const isDropped = await change(async (write) => {
      // Behind this lock no transaction that writes is left.
      await sql`LOCK TABLE ${sql.table(table)} IN ACCESS EXCLUSIVE MODE`.execute(write);
      if (await hasYounger(write)) return false;
      await sql`DROP TABLE ${sql.table(name)}`.execute(write);
      return true;
    });
    if (isDropped) log.info({ table, partition: name }, 'partition of old rows dropped');
    return isDropped;
  }

  /** Resolves with false where the work says so, and where it failed: rows are deleted meanwhile, and it is tried again later. */
  async function change(work: (write: Write) => Promise<boolean>): Promise<boolean> {
    const unit = async (write: Write) => {
      await sql`SET LOCAL lock_timeout = ${sql.lit(longestWait)}`.execute(write);
      return work(write);
    };
    try {
      return await database.transact(unit, { isolation: 'read-committed', isAlone: true });
    } catch (err) {
      // 55P03 lock_not_available.
      const isWaiting = (err as { readonly code?: unknown }).code === '55P03';
      if (isWaiting) log.debug({ table }, 'partitions not changed while others read; retried later');
      else log.error({ err, table }, 'partitions not changed; retried later');
      return false;
    }
  }

  return {
    async maintain() {
      const { rows } = await database.read.executeQuery(partitions);
      const plan = planPartitions(table, rows, keepMs, clock.wallNow());
      for (const partition of plan.create) await create(partition);
      const dropped = new Set<string>();
      for (const name of plan.drop) if (await drop(name)) dropped.add(name);
      return plan.byRow.filter((name) => !dropped.has(name));
    },
  };
}
