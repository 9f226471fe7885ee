export { copySqliteDatabase, valueInSqliteCopy } from './copy-database.ts';
export { DataLockedError, lockData } from './data-lock.ts';
export { createSqliteDatabase, type SqliteDatabaseOptions } from './sqlite-database.ts';
