/** The connection was refused or lost, or the server cannot write at this moment. The next transaction or read tries again. */
export class DatabaseUnavailableError extends Error {
  readonly code = 'database-unavailable';

  constructor(sentence: string, cause: unknown) {
    super(sentence, { cause });
    this.name = 'DatabaseUnavailableError';
  }
}

/** The connection was lost after a COMMIT was sent: the server may have carried it out. */
export class LostCommitError extends DatabaseUnavailableError {
  readonly isOutcomeUnknown = true;
  readonly transaction: string | undefined;

  constructor(transaction: string | undefined, cause: unknown) {
    super(
      'the connection to the database was lost during a commit; it is not known whether the commit was made',
      cause,
    );
    this.transaction = transaction;
  }
}

/**
 * Classes 08 (connection exception) and 57P01–57P03 (shutdown, crash, starting up) of PostgreSQL's error codes, and `query_timeout` of pg,
 * which has no code and means that the peer has vanished.
 */
export function saysConnectionLost(error: unknown): boolean {
  if (error instanceof Error && error.message === 'Query read timeout') return true;
  return /^(?:08...|57P0[123]|ECONN\w+|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)$/.test(
    codeOf(error) ?? '',
  );
}

/** Class 53 of PostgreSQL's error codes: insufficient resources, disk full, out of memory, too many connections. Not 53400, a limit of its configuration. */
export function saysServerIsFull(error: unknown): boolean {
  return /^53[0-3]00$/.test(codeOf(error) ?? '');
}

/** 25006 read_only_sql_transaction. A standby also refuses, by 0A000, to begin a serializable transaction. */
export function saysServerIsReadOnly(error: unknown): boolean {
  const code = codeOf(error);
  return code === '25006' || (code === '0A000' && /hot standby/.test((error as Error).message));
}

/** 40001 serialization_failure and 40P01 deadlock_detected: the same work succeeds when it is run again. */
export function saysBeginAgain(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01' || saysPlanIsStale(error);
}

/** 0A000 "cached plan must not change result type": a migration of another node changed the table under a named statement. */
export function saysPlanIsStale(error: unknown): boolean {
  return codeOf(error) === '0A000' && /cached plan/.test((error as Error).message);
}

/** 22023 invalid_parameter_value: a server that has taken over without its last transactions has not begun this one. */
export function saysUnknownTransaction(error: unknown): boolean {
  return codeOf(error) === '22023';
}

/** 23505 unique_violation. */
export function saysUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505';
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
