/**
 * Whether a lookup or a write failed because the database cannot be used now, or because another process has ended this one. A later
 * attempt, or one at another process, may succeed.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return error.code === 'database-unavailable' || error.code === 'incarnation-ended';
}
