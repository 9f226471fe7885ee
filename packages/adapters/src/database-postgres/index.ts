export { createPostgresDatabase, type PostgresDatabaseOptions } from './postgres-database.ts';
export { DatabaseUnavailableError } from './unavailable-error.ts';
