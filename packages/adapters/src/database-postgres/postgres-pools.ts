import type { Logger } from '@jackfield/ports';
import pg from 'pg';
import { numberTypes } from './number-types.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { applicationName, type ProcessLock } from './process-lock.ts';
import { DatabaseUnavailableError } from './unavailable-error.ts';

/** The database, and the number of connections of each kind. */
export interface PostgresPoolsOptions {
  readonly url: string;
  readonly readers: number;
  readonly writers: number;
  readonly lock?: ProcessLock;
  /** A successor waits for the transactions of a process that hangs; heartbeats have one more connection for writing. */
  readonly isShared: boolean;
  readonly answerMs: number;
  readonly log: Logger;
}

/**
 * A statement that waits for a lock does not notice that its process is gone, and keeps the locks of its transaction: a successor would
 * wait for both. PostgreSQL looks at the connection each second, and loses a host that vanished without closing it after 11 s.
 */
const endWithProcess = `
SELECT set_config('client_connection_check_interval', '1000', false), set_config('tcp_keepalives_idle', '5', false),
  set_config('tcp_keepalives_interval', '2', false), set_config('tcp_keepalives_count', '3', false)`;

/** The connections to one database: those for writing hold the lock, those for reads refuse to write. */
export class PostgresPools {
  readonly #settings: pg.ClientConfig;
  readonly #writePool: pg.Pool;
  readonly #heartbeatPool: pg.Pool | undefined;
  readonly #readPool: pg.Pool;
  readonly #lock: ProcessLock | undefined;
  readonly #log: Logger;
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>();
  readonly #lost = new WeakMap<pg.PoolClient, Error>();

  constructor({ url, readers, writers, lock, isShared, answerMs, log }: PostgresPoolsOptions) {
    this.#lock = lock;
    this.#log = log;
    this.#settings = {
      connectionString: url,
      types: numberTypes,
      application_name: applicationName,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      // Without a timeout a peer that vanished without closing would block its queries, and all later ones, forever.
      query_timeout: answerMs,
    };
    const writing = {
      ...this.#settings,
      pipeline: true,
      idle_in_transaction_session_timeout: isShared ? 5_000 : 60_000,
    };
    this.#writePool = new pg.Pool({ ...writing, max: writers } as pg.PoolConfig);
    if (isShared) this.#heartbeatPool = new pg.Pool({ ...writing, max: 1 } as pg.PoolConfig);
    this.#readPool = new pg.Pool({ ...this.#settings, max: readers });
    for (const pool of this.#pools) {
      // A connection may be lost before it has an owner: its first statement meets a server that is going away.
      pool.on('connect', (client) => client.on('error', (error) => this.#lost.set(client, error)));
    }
    this.#readPool.on('connect', (client) => {
      // If this fails, the next query on the connection fails as well.
      client.query('SET default_transaction_read_only = on').catch(() => {});
    });
    for (const pool of isShared ? this.#writePools : []) {
      pool.on('connect', (client) => {
        client
          .query(endWithProcess)
          .catch(({ message }) =>
            log.warn({ reason: message }, 'a killed process keeps its locks for longer'),
          );
      });
    }
    for (const pool of this.#pools) {
      pool.on('error', ({ message }) =>
        log.warn({ reason: message }, 'idle connection to the database was lost'),
      );
    }
  }

  takeReader(): Promise<PostgresConnection> {
    return this.#take(this.#readPool);
  }

  takeWriter(): Promise<PostgresConnection> {
    return this.#take(this.#writePool);
  }

  takeHeartbeatWriter(): Promise<PostgresConnection> {
    return this.#take(this.#heartbeatPool ?? this.#writePool);
  }

  /** A connection outside the pools whose queries may take any time; the caller ends it. */
  async connectAlone(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#settings, query_timeout: 0 } as pg.ClientConfig);
    client.on('error', ({ message }) => this.#log.warn({ reason: message }, 'migration connection lost'));
    await client.connect().catch(unavailable);
    return client;
  }

  async end(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()));
  }

  get #pools(): readonly pg.Pool[] {
    return [...this.#writePools, this.#readPool];
  }

  get #writePools(): readonly pg.Pool[] {
    return this.#heartbeatPool === undefined ? [this.#writePool] : [this.#writePool, this.#heartbeatPool];
  }

  async #take(pool: pg.Pool): Promise<PostgresConnection> {
    const client = await pool.connect().catch(unavailable);
    const known = this.#connections.get(client);
    if (known !== undefined) return known;
    const isWriter = pool !== this.#readPool;
    await this.#admit(client, isWriter);
    const connection = new PostgresConnection(client, { isWriter });
    this.#connections.set(client, connection);
    return connection;
  }

  async #admit(client: pg.PoolClient, isWriter: boolean): Promise<void> {
    try {
      if (isWriter) await this.#lock?.admitWriter(client);
      const lost = this.#lost.get(client);
      if (lost !== undefined) throw lost;
    } catch (cause) {
      client.release(true);
      throw cause instanceof DatabaseUnavailableError
        ? cause
        : new DatabaseUnavailableError('the connection to the database was lost', cause);
    }
  }
}

function unavailable(cause: unknown): never {
  throw new DatabaseUnavailableError('no connection to the database could be made', cause);
}
