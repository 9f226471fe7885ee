import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { type NatsServer, startNats } from '@jackfield/testkit/nats-server';
import { type PostgresServer, startPostgres } from '@jackfield/testkit/postgres-server';
import { CallbackReceiver } from './callback-receiver.ts';
import { cleanUp } from './clean-up.ts';
import { PlatformProcess } from './platform-process.ts';
import { rowsOf } from './watched-rows.ts';

/** What nodes share. */
export interface ClusterServers {
  readonly postgres: PostgresServer;
  readonly nats: NatsServer;
}

export async function startClusterServers(): Promise<ClusterServers> {
  const started = await startPostgres();
  if (started.server === undefined) throw new Error(started.reason);
  return { postgres: started.server, nats: await startNats() };
}

/** Variables of nodes that share an empty database. */
export async function nodeSettings({ postgres, nats }: ClusterServers) {
  return {
    JACKFIELD_DATABASE_URL: await postgres.createDatabase(),
    JACKFIELD_SECRET_KEY: '07'.repeat(32),
    JACKFIELD_NATS_URL: `nats://${nats.address}`,
  };
}

/** All databases of a server share its roles, and a node may be started again. */
const createRole = (name: string) => `
DO $$ BEGIN
  CREATE ROLE "${name}" SUPERUSER LOGIN;
EXCEPTION WHEN duplicate_object THEN
END $$`;

/** Real processes on one PostgreSQL database and one NATS server. */
export class Cluster {
  readonly postgres: PostgresServer;
  readonly nats: NatsServer;
  readonly customer: CallbackReceiver;
  readonly databaseUrl: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #nodes: PlatformProcess[] = [];
  readonly #killed = new Set<PlatformProcess>();

  private constructor(
    parts: Pick<Cluster, 'postgres' | 'nats' | 'customer'>,
    environment: Readonly<Record<string, string>> & { readonly JACKFIELD_DATABASE_URL: string },
  ) {
    this.postgres = parts.postgres;
    this.nats = parts.nats;
    this.customer = parts.customer;
    this.databaseUrl = environment.JACKFIELD_DATABASE_URL;
    this.#environment = environment;
  }

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<Cluster> {
    const servers = await startClusterServers();
    const customer = await CallbackReceiver.start();
    return new Cluster({ ...servers, customer }, { ...environment, ...(await nodeSettings(servers)) });
  }

  /** Starts a node, which logs in to PostgreSQL under its own name; `own` are variables of this node alone. Resolves when it is connected to NATS. */
  async join(node: string, own: Readonly<Record<string, string>> = {}): Promise<PlatformProcess> {
    await rowsOf(this.databaseUrl, createRole(node));
    const login = new URL(this.databaseUrl);
    login.username = node;
    const started = await PlatformProcess.start({
      ...this.#environment,
      JACKFIELD_DATABASE_URL: login.href,
      JACKFIELD_NODE: node,
      ...own,
    });
    this.#nodes.push(started);
    await started.log.until('NATS', ({ message }) => /^connected to NATS/.test(String(message)));
    return started;
  }

  /** Resolves when the process has ended. */
  async kill(node: PlatformProcess, signal: 'SIGKILL' | 'SIGCONT' = 'SIGKILL'): Promise<void> {
    this.#killed.add(node);
    node.signal(signal);
    await node.log.until('the end', ({ message }) => message === 'exit');
    await rm(node.dataDir, { recursive: true, force: true });
  }

  /** Resolves when the process has ended by itself. */
  async close(node: PlatformProcess): Promise<void> {
    this.#killed.add(node);
    await node.stop('SIGTERM');
  }

  /** A call of this node on which a document waits; resolves with its UUID when it is up. */
  async callAt(node: PlatformProcess, more: object = {}): Promise<string> {
    const answer_url = this.customer.serve('/wait', '<Response><Wait length="600"/></Response>');
    const call = { from: '+12025550000', to: '+12025550101', answer_url, ...more };
    const { status, body } = await node.api('POST', 'Call/', call);
    assert.equal(status, 201, JSON.stringify(body));
    await node.until(
      'the call',
      `Call/${body.request_uuid}/?status=live`,
      ({ call_status }) => call_status === 'in-progress',
    );
    return body.request_uuid;
  }

  async stop(): Promise<void> {
    const running = this.#nodes.filter((node) => !this.#killed.has(node));
    await cleanUp(
      ...running.map((node) => () => node.stop()),
      () => this.customer.stop(),
      () => this.nats.stop(),
      () => this.postgres.stop(),
    );
  }
}
