import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@jackfield/ports';
import pg from 'pg';
import { DatabaseUnavailableError } from './unavailable-error.ts';

/** Another process uses the database. */
export class DatabaseInUseError extends Error {
  readonly code = 'data-locked';

  constructor(holder: string) {
    super(`the database is in use by another process (${holder}); stop it, or choose another database`);
    this.name = 'DatabaseInUseError';
  }
}

/**
 * Keeps a second process out of the database, by session advisory locks:
 * - `process`, exclusive, on a connection of its own;
 * - `writer`, shared, on each connection that writes.
 *
 * A process may start when it holds `process` and no connection holds `writer`. A process that lost its `process` connection still excludes
 * others by its open write connections. It opens a new write connection only while it holds `process`.
 */
export interface ProcessLock {
  /** Await it for each new write connection before its first use. Rejects with `DatabaseUnavailableError` while the lock is lost. */
  admitWriter(client: pg.ClientBase): Promise<void>;
  release(): Promise<void>;
}

export interface ProcessLockOptions {
  readonly url: string;
  readonly log: Logger;
  /** The connection was lost, and another process has taken the lock: this process has to end and must write nothing more. */
  readonly onTaken: (error: DatabaseInUseError) => void;
  /** How long to wait for the lock of another process: PostgreSQL takes a moment to notice that a process was killed. */
  readonly waitMs?: number;
  readonly retryMs?: number;
  /** Interval of the connection checks. */
  readonly checkEveryMs?: number;
}

/** "jack" in ASCII: the first of the two numbers of each lock. */
const lockClass = 0x6a61636b;
const processLock = 1;
const writerLock = 2;

/** Appears in `pg_stat_activity`, and in the error of a refused process. */
export const applicationName = `jackfield, process ${process.pid} on ${hostname()}`;

/** A host that vanished without closing its connections loses its locks after 25 s, instead of two hours, the default of Linux. */
const sessionSettings = `
SET idle_session_timeout = 0;
SET tcp_keepalives_idle = 10;
SET tcp_keepalives_interval = 5;
SET tcp_keepalives_count = 3`;

/** Rejects with `DatabaseInUseError` when another process holds the lock, with `DatabaseUnavailableError` when no server answers. */
export async function takeProcessLock(options: ProcessLockOptions): Promise<ProcessLock> {
  const { url, log, onTaken, waitMs = 5_000, retryMs = 250, checkEveryMs = 5_000 } = options;
  const end = new AbortController();
  /** Undefined while the lock is lost. */
  let holding: pg.Client | undefined;

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
    });
    client.on('error', () => lost(client));
    client.on('end', () => lost(client));
    try {
      await client.connect();
      await client.query(sessionSettings);
      return client;
    } catch (cause) {
      discard(client);
      throw new DatabaseUnavailableError('no connection to the database could be made', cause);
    }
  }

  /**
   * Retries until the lock is acquired, or until another process has held it for `waitMs`. `mayTake` checks the connection that holds it.
   */
  async function take(mayTake: (client: pg.Client) => Promise<boolean>): Promise<void> {
    const client = await connect();
    try {
      for (let waited = 0; ; waited += retryMs) {
        if (await tryLock(client, 'pg_try_advisory_lock', processLock)) {
          if (await mayTake(client)) break;
          await client.query('SELECT pg_advisory_unlock($1, $2)', [lockClass, processLock]);
        }
        if (waited >= waitMs) throw new DatabaseInUseError(await holderOf(client));
        await pause(retryMs);
      }
    } catch (error) {
      discard(client);
      throw error instanceof DatabaseInUseError
        ? error
        : new DatabaseUnavailableError('the connection to the database was lost', error);
    }
    holding = client;
  }

  function lost(client: pg.Client): void {
    if (holding !== client) return;
    holding = undefined;
    if (end.signal.aborted) return;
    log.warn({}, 'database lock connection lost');
    discard(client);
    void takeAgain();
  }

  async function takeAgain(): Promise<void> {
    while (!end.signal.aborted) {
      try {
        // Write connections of this process may be open: their lock must not exclude this process itself.
        await take(async () => true);
        log.info({}, 'database locked again');
        return;
      } catch (error) {
        if (error instanceof DatabaseInUseError) {
          onTaken(error);
          return;
        }
        await pause(retryMs, undefined, { signal: end.signal }).catch(() => {});
      }
    }
  }

  await take(hasNoWriters);
  const check = setInterval(() => {
    const client = holding;
    client?.query('SELECT 1').catch(() => lost(client));
  }, checkEveryMs).unref();

  return {
    async admitWriter(client) {
      await client.query(sessionSettings);
      const isWriter = await tryLock(client, 'pg_try_advisory_lock_shared', writerLock);
      // The order matters: a process that acquires the process lock after this answer still meets the writer lock.
      const isHeld = await holding?.query('SELECT 1').then(
        () => true,
        () => false,
      );
      if (isWriter && isHeld) return;
      throw new DatabaseUnavailableError('the lock of the database was lost', undefined);
    },
    async release() {
      end.abort();
      clearInterval(check);
      await holding?.end();
    },
  };
}

async function tryLock(
  client: pg.ClientBase,
  call: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  lock: number,
): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(`SELECT ${call}($1, $2) AS held`, [lockClass, lock]);
  // The pools read truth values as numbers.
  return Boolean(rows[0]?.held);
}

async function hasNoWriters(client: pg.Client): Promise<boolean> {
  if (!(await tryLock(client, 'pg_try_advisory_lock', writerLock))) return false;
  await client.query('SELECT pg_advisory_unlock($1, $2)', [lockClass, writerLock]);
  return true;
}

async function holderOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string | null }>(
    `SELECT application_name AS name FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND classid = $1 AND objid IN ($2, $3) AND pg_locks.pid <> pg_backend_pid() AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY objid LIMIT 1`,
    [lockClass, processLock, writerLock],
  );
  return rows[0]?.name || 'it does not say which';
}

/** A connection that failed may also fail to end. */
function discard(client: pg.Client): void {
  client.end().catch(() => {});
}
