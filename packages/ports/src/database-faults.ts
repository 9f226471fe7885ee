/** The database cannot be reached or written now (see `Database`). */
export function isDatabaseUnavailable(error: unknown): boolean {
  return codeOf(error) === 'database-unavailable';
}

/**
 * Whether a lookup or a write failed because the database cannot be used now, or because another process has ended this one. A later
 * attempt, or one at another process, may succeed.
 */
export function isUnavailable(error: unknown): boolean {
  return isDatabaseUnavailable(error) || codeOf(error) === 'incarnation-ended';
}

/**
 * The database refused a unit or a read, and wrote nothing. `isOutcomeUnknown` marks the one error with this code whose commit may have been
 * made: its database was closed before the server could be asked.
 */
export function saysNothingWritten(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !(error as { readonly isOutcomeUnknown?: unknown }).isOutcomeUnknown;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
