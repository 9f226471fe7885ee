import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** A program of PostgreSQL that failed, or is not installed: one sentence. */
class PostgresProgramError extends Error {
  readonly code = 'postgres-program';
}

/** Writes the database to the new file `to`, as of one moment, also while a server writes (https://www.postgresql.org/docs/current/app-pgdump.html). */
export function dumpPostgresDatabase(url: string, to: string, signal: AbortSignal): Promise<void> {
  const options = ['--format=custom', '--no-owner', '--no-privileges', `--file=${to}`];
  return withoutPassword(url, (at) => run('pg_dump', [...options, `--dbname=${at}`], signal));
}

/** The first value that a query returns; undefined without a row, or without the table. */
export async function valueInPostgresDatabase(url: string, table: string, query: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS "isThere"', [table]);
    return rows[0].isThere ? Object.values((await client.query(query)).rows[0] ?? {})[0] : undefined;
  } finally {
    await client.end();
  }
}

/** Restores a dump into an empty database, in one transaction: all of it or nothing. */
export function restorePostgresDatabase(url: string, from: string): Promise<void> {
  return withoutPassword(url, (at) =>
    run('pg_restore', [
      '--single-transaction',
      '--exit-on-error',
      '--no-owner',
      '--no-privileges',
      `--dbname=${at}`,
      from,
    ]),
  );
}

/** Every user of the machine can read the arguments of a process, so the password is passed in a file that only its owner can read. */
async function withoutPassword(url: string, use: (url: string) => Promise<void>): Promise<void> {
  // A URL without a host, for a socket of this machine, cannot be parsed, and has no password.
  const at = URL.canParse(url) ? new URL(url) : undefined;
  const password = decodeURIComponent(at?.password ?? '');
  if (at === undefined || password === '') return use(url);
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-'));
  try {
    const file = join(directory, 'password');
    // https://www.postgresql.org/docs/current/libpq-pgpass.html
    writeFileSync(file, `*:*:*:*:${password.replace(/[\\:]/g, '\\$&')}\n`, { mode: 0o600 });
    at.password = '';
    at.searchParams.set('passfile', file);
    await use(at.href);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Characters kept of the output of a program: its end has the reason of a failure. */
const reasonLength = 500;

function run(program: string, args: readonly string[], signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...(signal && { signal }) });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-reasonLength);
    });
    child.once('error', ({ message }) => {
      // A program that was aborted still writes until it is closed.
      if (child.pid !== undefined) return;
      reject(
        new PostgresProgramError(
          `${program} cannot be started (${message}): install the client programs of PostgreSQL`,
        ),
      );
    });
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new PostgresProgramError(`${program} failed: ${oneLine(said) || `it ended with ${code}`}`));
    });
  });
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
