export { DataLockedError } from './data-lock.ts';
export { createSqliteDatabase, type SqliteDatabaseOptions } from './sqlite-database.ts';
