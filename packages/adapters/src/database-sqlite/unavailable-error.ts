/** The disk is full, broken or missing, or another process holds the file. The next transaction or read retries. */
class DatabaseUnavailableError extends Error {
  readonly code = 'database-unavailable';

  constructor(cause: Error) {
    super(`the database cannot be written or read at this moment: ${cause.message}`, { cause });
    this.name = 'DatabaseUnavailableError';
  }
}

/** https://sqlite.org/rescode.html, primary codes: BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL. */
const outOfReach: readonly unknown[] = [5, 6, 7, 8, 10, 13, 14, 15];

/** The error itself, unless its code means that the file is unavailable. */
export function explained(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  // The low byte of an extended code is the primary code.
  return outOfReach.includes(Number(error.errcode) & 0xff) ? new DatabaseUnavailableError(error) : error;
}
