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
 * A process may start when it holds `process` and no connection holds `writer`. So a process that lost the connection of its `process`
 * lock still keeps others out by its open write connections, and opens a new one only while it holds `process`.
 */
export interface ProcessLock {
  /** To be awaited for each new write connection before its first use. Rejects with `DatabaseUnavailableError` while the lock is lost. */
  admitWriter(client: pg.ClientBase): Promise<void>;
  release(): Promise<void>;
}

export interface ProcessLockOptions {
  readonly url: string;
  readonly log: Logger;
  /** The connection was lost, and another process has taken the lock: this one has to end and must write nothing more. */
  readonly onTaken: (error: DatabaseInUseError) => void;
  /** How long the lock of another process is waited for: PostgreSQL needs a moment to notice that a process was killed. */
  readonly waitMs?: number;
  readonly retryMs?: number;
  /** How often the connection is checked. */
  readonly checkEveryMs?: number;
}

/** "jack" in ASCII: the first of the two numbers of each lock. */
const lockClass = 0x6a61636b;
const processLock = 1;
const writerLock = 2;

/** Shows in `pg_stat_activity`, and in the sentence of a process that is refused. */
export const applicationName = `jackfield, process ${process.pid} on ${hostname()}`;

/** A host that vanished without closing its connections loses its locks after 25 s, not after two hours, the default of Linux. */
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

  /** Tries until the lock is there, or another process has held it for `waitMs`. `mayTake` judges the connection that holds it. */
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
    log.warn({}, 'The connection that locks the database was lost.');
    discard(client);
    void takeAgain();
  }

  async function takeAgain(): Promise<void> {
    while (!end.signal.aborted) {
      try {
        // Write connections of this process may be open: what keeps others out must not keep it out itself.
        await take(async () => true);
        log.info({}, 'The database is locked again.');
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
      // In this order: a process that takes the process lock after this answer meets the writer lock.
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

/** A connection that failed may fail to end as well. */
function discard(client: pg.Client): void {
  client.end().catch(() => {});
}
