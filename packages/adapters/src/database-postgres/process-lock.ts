import { createHash } from 'node:crypto';
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
 *
 * A node of several holds `process` shared, and its own name exclusive: two nodes run beside each other, two processes of one name do not, and
 * neither does a process that is no node. Its write connections hold `nodeWriter` in place of `writer`.
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
  /** The name of this node among those that share the database; left out where one process owns it. */
  readonly node?: string;
}

/** "jack" in ASCII: the first of the two numbers of each lock. */
const lockClass = 0x6a61636b;
const processLock = 1;
const writerLock = 2;
const nodeWriterLock = 3;
/** "jacn" in ASCII: the first number of the locks of names. */
const nodeClass = 0x6a61636e;

type Lock = readonly [lockClass: number, lock: number];

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
  const { url, log, onTaken, node, waitMs = 5_000, retryMs = 250, checkEveryMs = 5_000 } = options;
  const locks = node === undefined ? aloneLocks : locksOfNode(node);
  const end = new AbortController();
  /** Undefined while the lock is lost. */
  let holding: pg.Client | undefined;
  const answers = questions();

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
   * Retries until the locks are acquired, or until another process has held one for `waitMs`. `mayTake` checks the connection that holds them.
   */
  async function take(mayTake: (client: pg.Client) => Promise<boolean>): Promise<void> {
    const client = await connect();
    try {
      for (let waited = 0; ; waited += retryMs) {
        if ((await locks.take(client)) && (await mayTake(client))) break;
        await client.query('SELECT pg_advisory_unlock_all()');
        if (waited >= waitMs) throw new DatabaseInUseError(await holderOf(client, locks));
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

  await take((client) => areFree(client, locks.excluded.filter(isOfWriters)));
  const check = setInterval(async () => {
    const client = holding;
    if (client !== undefined && !(await answers(client))) lost(client);
  }, checkEveryMs).unref();

  return {
    async admitWriter(client) {
      await client.query(sessionSettings);
      const isWriter = await tryLock(client, 'pg_try_advisory_lock_shared', locks.ofWriters);
      // The order matters: a process that acquires the process lock after this answer still meets the writer lock.
      const isHeld = holding !== undefined && (await answers(holding));
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

interface ProcessLocks {
  readonly take: (client: pg.ClientBase) => Promise<boolean>;
  readonly ofWriters: Lock;
  /** Other processes hold none of them. */
  readonly excluded: readonly Lock[];
  /** Other processes may hold `process` shared. */
  readonly isOfNode: boolean;
}

const exclusive = 'pg_try_advisory_lock';
const shared = 'pg_try_advisory_lock_shared';

const aloneLocks: ProcessLocks = {
  take: (client) => tryLock(client, exclusive, [lockClass, processLock]),
  ofWriters: [lockClass, writerLock],
  excluded: [
    [lockClass, processLock],
    [lockClass, writerLock],
    [lockClass, nodeWriterLock],
  ],
  isOfNode: false,
};

function locksOfNode(node: string): ProcessLocks {
  const name: Lock = [nodeClass, createHash('sha256').update(node).digest().readInt32BE()];
  return {
    take: async (client) =>
      (await tryLock(client, shared, [lockClass, processLock])) && (await tryLock(client, exclusive, name)),
    ofWriters: [lockClass, nodeWriterLock],
    excluded: [name, [lockClass, processLock], [lockClass, writerLock]],
    isOfNode: true,
  };
}

function isOfWriters([ofClass, lock]: Lock): boolean {
  return ofClass === lockClass && lock !== processLock;
}

async function tryLock(client: pg.ClientBase, call: string, lock: Lock): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(`SELECT ${call}($1, $2) AS held`, [...lock]);
  // The pools read truth values as numbers.
  return Boolean(rows[0]?.held);
}

/** No other connection holds one of them. */
async function areFree(client: pg.Client, locks: readonly Lock[]): Promise<boolean> {
  for (const lock of locks) {
    if (!(await tryLock(client, exclusive, lock))) return false;
    await client.query('SELECT pg_advisory_unlock($1, $2)', [...lock]);
  }
  return true;
}

async function holderOf(client: pg.Client, { excluded, isOfNode }: ProcessLocks): Promise<string> {
  const { rows } = await client.query<{ name: string | null }>(
    `SELECT application_name AS name FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND (classid::bigint, objid::bigint) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[]))
        AND pg_locks.pid <> pg_backend_pid() AND granted AND NOT ($3 AND objid = ${processLock} AND mode = 'ShareLock')
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY objid LIMIT 1`,
    // Object identifiers have no sign.
    [excluded.map(([ofClass]) => ofClass), excluded.map(([, lock]) => lock >>> 0), isOfNode],
  );
  return rows[0]?.name || 'its name is not known';
}

/** A connection that failed may also fail to end. */
function discard(client: pg.Client): void {
  client.end().catch(() => {});
}

/** Checks whether a connection answers, with one query at a time: a client of pg 9 refuses a second query before the first has its answer. */
function questions(): (client: pg.Client) => Promise<boolean> {
  const last = new WeakMap<pg.Client, Promise<unknown>>();
  return (client) => {
    const answer = (last.get(client) ?? Promise.resolve())
      .then(() => client.query('SELECT 1'))
      .then(
        () => true,
        () => false,
      );
    last.set(client, answer);
    return answer;
  };
}
