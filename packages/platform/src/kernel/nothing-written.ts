/**
 * The database refused a unit or a read, and wrote nothing. `isOutcomeUnknown` marks the one error with this code whose commit may have been
 * made: its database was closed before the server could be asked.
 */
export function saysNothingWritten(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, isOutcomeUnknown } = error as {
    readonly code?: unknown;
    readonly isOutcomeUnknown?: unknown;
  };
  return code === 'database-unavailable' && isOutcomeUnknown !== true;
}
