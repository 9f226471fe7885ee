import { join } from 'node:path';
import type { Config } from './config.ts';
import { explainWriting } from './write-faults.ts';

/** A start that failed for a reason that the operator can fix: one sentence, which names the variable. */
export class StartFailure extends Error {
  constructor(sentence: string, cause: unknown) {
    super(sentence, { cause });
    this.name = 'StartFailure';
  }
}

/** Runs one part of the start; an error that `explain` recognises becomes a StartFailure, any other stays as it is. */
export async function explained<Result>(
  explain: (error: unknown) => string | undefined,
  part: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await part();
  } catch (error) {
    const sentence = explain(error);
    throw sentence === undefined ? error : new StartFailure(sentence, error);
  }
}

/** Why listening on an address failed. `variables` are its JACKFIELD_…_HOST and _PORT. */
export function explainListening(
  variables: { readonly host: string; readonly port: string },
  at: { readonly host: string; readonly port: number },
): (error: unknown) => string | undefined {
  const { host, port } = variables;
  return (error) => {
    switch (codeOf(error)) {
      case 'EADDRINUSE':
        return `${port}: port ${at.port} of ${at.host} is in use by another program; stop it or choose another port`;
      case 'EACCES':
        return `${port}: this user may not listen on port ${at.port}; choose one from 1024 up`;
      case 'EADDRNOTAVAIL':
        return `${host}: ${at.host} is no address of this machine`;
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return `${host}: the name ${at.host} is unknown`;
      default:
        return undefined;
    }
  };
}

/** Faults of the data directory and its files. */
export function explainDirectory(directory: string): (error: unknown) => string | undefined {
  return (error) => {
    switch (codeOf(error)) {
      // /proc and similar file systems allow no new directory.
      case 'ENOENT':
      case 'EACCES':
      case 'EPERM':
        return `JACKFIELD_DATA_DIR: this user may not write to ${directory}`;
      case 'EEXIST':
      case 'ENOTDIR':
        return `JACKFIELD_DATA_DIR: ${directory} is no directory`;
      default:
        return error instanceof Error
          ? `JACKFIELD_DATA_DIR: ${explainWriting(error, directory) ?? error.message}`
          : undefined;
    }
  };
}

/** Faults of the PostgreSQL server; its URL is never shown. */
export function explainPostgres(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const sentence = postgresFault(error);
  return sentence === undefined ? undefined : `JACKFIELD_DATABASE_URL: ${sentence}`;
}

/** The SQLSTATEs are those of appendix A of PostgreSQL's manual. */
function postgresFault(error: Error): string | undefined {
  switch (codeOf(error)) {
    case 'data-locked':
      return error.message;
    case 'database-unavailable':
      return `${error.message} (${messageOf(error.cause)})`;
    // Since PostgreSQL 15 only the owner of a database may make tables in its schema public.
    case '42501':
      return `the user of the URL may not make tables or write to them (${error.message}): let it own the database`;
    case '25006':
      return `PostgreSQL takes no writes (${error.message}): the server is a standby, or the database is read-only`;
    case '53100':
      return `the disk of PostgreSQL is full (${error.message})`;
    default:
      return undefined;
  }
}

/** Faults of the data, found after opening. */
export function explainData({
  dataDir,
  databaseUrl,
  secretKey,
}: Pick<Config, 'dataDir' | 'databaseUrl' | 'secretKey'>): (error: unknown) => string | undefined {
  return (error) => {
    if (codeOf(error) === 'migration') {
      const variable = databaseUrl === undefined ? 'JACKFIELD_DATA_DIR' : 'JACKFIELD_DATABASE_URL';
      return `${variable}: ${(error as Error).message}`;
    }
    if (codeOf(error) === 'other-key') {
      return secretKey === undefined
        ? `JACKFIELD_DATA_DIR: ${join(dataDir, 'secret.key')} is not the key with which the database was written: restore the file from a backup, or set JACKFIELD_SECRET_KEY to that key`
        : 'JACKFIELD_SECRET_KEY is not the key with which the database was written: set it to that key';
    }
    if (databaseUrl !== undefined) return explainPostgres(error);
    const fault = explainWriting(error, dataDir);
    return fault === undefined ? undefined : `JACKFIELD_DATA_DIR: ${fault}`;
  };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** An AggregateError, as for a name with several addresses, has no message of its own, only a code. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? (codeOf(error) ?? error.name) : error.message;
}
