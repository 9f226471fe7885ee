export {
  type AppliedMigration,
  MigrationError,
  migrationsTableSql,
  type PlannedMigration,
  planMigrations,
} from './migration-plan.ts';
export { createOutbox, outboxMigrations } from './outbox.ts';
