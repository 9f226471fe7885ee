export {
  dumpPostgresDatabase,
  restorePostgresDatabase,
  valueInPostgresDatabase,
} from './dump-database.ts';
export { IncarnationEndedError } from './fence.ts';
export { createPostgresDatabase, type PostgresDatabaseOptions } from './postgres-database.ts';
export {
  DatabaseInUseError,
  type ProcessLock,
  type ProcessLockOptions,
  takeProcessLock,
} from './process-lock.ts';
export { DatabaseUnavailableError } from './unavailable-error.ts';
