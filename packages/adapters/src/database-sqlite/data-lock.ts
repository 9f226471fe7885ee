import { DatabaseSync } from 'node:sqlite';

/** Another process, or another part of this one, has the data open. */
export class DataLockedError extends Error {
  readonly code = 'data-locked';
  readonly holder: number;

  constructor(path: string, holder: number) {
    super(`${path}: the data is in use by process ${holder}; stop it, or choose another data directory`);
    this.name = 'DataLockedError';
    this.holder = holder;
  }
}

/** SQLITE_BUSY: https://sqlite.org/rescode.html#busy */
const busy = 5;

/**
 * Acquires the lock in the file at `path` and returns the function that releases it. The lock is an operating system lock, held by an open
 * write transaction of a separate database: it ends with the process however that ends, so there are no stale locks. The header holds the
 * pid of the holder, which other processes can still read.
 */
export function lockData(path: string): () => void {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE');
    lock.exec(`PRAGMA user_version = ${process.pid}; COMMIT; BEGIN IMMEDIATE`);
  } catch (error) {
    const isHeld = error instanceof Error && 'errcode' in error && error.errcode === busy;
    const holder = isHeld ? Number(lock.prepare('PRAGMA user_version').get()?.user_version) : 0;
    lock.close();
    throw isHeld ? new DataLockedError(path, holder) : error;
  }
  return () => lock.close();
}
