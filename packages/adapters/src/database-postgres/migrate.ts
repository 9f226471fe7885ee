import {
  type AppliedMigration,
  contractsColumnSql,
  type Migration,
  migrationsTableSql,
  planMigrations,
} from '@jackfield/ports';
import type { Client } from 'pg';

/** "jack" in ASCII; the same on every node, so that nodes which start together migrate one after another. */
const advisoryLock = 0x6a61636b;

/** Runs each migration in its own transaction; the first failure stops with the name of the migration, the earlier ones stay. */
export async function migrate(
  client: Client,
  migrations: readonly Migration[],
  areAll?: boolean,
): Promise<readonly string[]> {
  await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
  try {
    await client.query(migrationsTableSql);
    const column = await client.query(
      "SELECT 1 FROM pg_attribute WHERE attrelid = 'schema_migrations'::regclass AND attname = 'contracts'",
    );
    if (column.rowCount === 0) await client.query(contractsColumnSql);
    const applied = await client.query<AppliedMigration>(
      'SELECT name, checksum, contracts FROM schema_migrations',
    );
    const planned = planMigrations('postgres', migrations, applied.rows, areAll);
    for (const { name, checksum, contracts, sql } of planned) {
      try {
        await client.query('BEGIN');
        await client.query(sql);
        await client.query(
          'INSERT INTO schema_migrations (name, checksum, contracts, applied_at) VALUES ($1, $2, $3, extract(epoch from now()) * 1000)',
          [name, checksum, contracts],
        );
        await client.query('COMMIT');
      } catch (cause) {
        await client.query('ROLLBACK').catch(() => {});
        throw new Error(`migration ${name} failed`, { cause });
      }
    }
    return planned.map(({ name }) => name);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [advisoryLock]).catch(() => {});
  }
}
