import type { DatabaseSync } from 'node:sqlite';
import {
  type AppliedMigration,
  contractsColumnSql,
  type Migration,
  migrationsTableSql,
  planMigrations,
} from '@jackfield/ports';

/** Runs each migration in its own transaction; the first failure stops with the name of the migration, the earlier ones stay. */
export function migrate(
  database: DatabaseSync,
  migrations: readonly Migration[],
  areAll?: boolean,
): readonly string[] {
  database.exec(migrationsTableSql);
  const columns = database.prepare('PRAGMA table_info(schema_migrations)').all();
  if (columns.every(({ name }) => name !== 'contracts')) database.exec(contractsColumnSql);
  const applied = database.prepare('SELECT name, checksum, contracts FROM schema_migrations').all();
  const planned = planMigrations(
    'sqlite',
    migrations,
    applied as unknown as readonly AppliedMigration[],
    areAll,
  );
  const record = database.prepare(
    'INSERT INTO schema_migrations (name, checksum, contracts, applied_at) VALUES (?, ?, ?, unixepoch() * 1000)',
  );
  for (const { name, checksum, contracts, sql } of planned) {
    try {
      database.exec('BEGIN IMMEDIATE');
      database.exec(sql);
      record.run(name, checksum, contracts);
      database.exec('COMMIT');
    } catch (cause) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw new Error(`migration ${name} failed`, { cause });
    }
  }
  return planned.map(({ name }) => name);
}
