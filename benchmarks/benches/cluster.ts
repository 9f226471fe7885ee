import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { asNatsUrls } from '@jackfield/server/src/nats-urls.ts';
import { startNats } from '@jackfield/testkit/nats-server';
import { type PostgresServer, startPostgres } from '@jackfield/testkit/postgres-server';
import { Client } from 'pg';
import { type Part, startPart } from '../part.ts';
import type { HttpLoad, HttpOutcome } from '../parts/http-load.ts';
import type { CallOutcome, CallRun } from '../parts/phones.ts';
import type { PlatformStart } from '../parts/platform.ts';
import type { Bench, BenchOptions, BenchResult, Figure } from '../report.ts';
import { startPhones, untilNoLegs } from '../workloads.ts';
import type { StartedPlatform } from './api.ts';

/** An odd number: the middle one is published. */
const rounds = 5;
/** Calls of each node in one load. */
const callsOfNode = 200;
/** Of each node: a node of a cluster beside a node alone that does the same. They do so at the same time, because other load on the machine hits both alike. */
const callsPerSecond = 20;
/** Calls at once of each node in its warm-up, until V8 has compiled what runs often. */
const warmUp = { count: 2_000, atOnce: 30 };
/** RTP ports of a node: the first node has the lowest. */
const portsOfNode = 2_600;
const firstPort = 20_000;
const readSeconds = 1;

/** A node and its own phones. */
interface BenchNode {
  readonly platform: Part;
  readonly started: StartedPlatform;
  readonly phones: Part;
  /** One of its phones, as others call it. */
  readonly callee: string;
}

/** What some calls cost, over all nodes. */
interface CallCosts {
  readonly cpuMicroseconds: number;
  readonly statements: number;
  readonly walBytes: number;
  readonly rollbacks: number;
  readonly busMessages: number;
}

/** What calls cost the node alone, and at the same time the three nodes. */
interface Round {
  readonly alone: CallCosts;
  readonly cluster: CallCosts;
}

type Outcomes = Readonly<Record<'within' | 'across', Round[]>>;

type Counters = Readonly<Record<'statements' | 'walBytes' | 'rollbacks' | 'busMessages', number>>;

/** The node alone and the three nodes have each a server of their own, whose log shows what they write. */
interface Servers {
  readonly ofOne: PostgresServer;
  readonly ofThree: PostgresServer;
  readonly natsUrl: string;
  busMessages(): Promise<number>;
}

/**
 * Calls of one node on PostgreSQL beside those of three nodes, with the statements, log bytes and bus messages of a call, and what it costs
 * a request to reach the node of its call over another one.
 */
export const cluster: Bench = {
  name: 'cluster',
  async run(options): Promise<BenchResult> {
    const servers: Pick<PostgresServer, 'stop'>[] = [];
    try {
      const [ofOne, ofThree] = [await startDatabase(), await startDatabase()];
      servers.push(ofOne, ofThree);
      const monitor = await freePort();
      const nats = await startNats(`http: "127.0.0.1:${monitor}"`);
      servers.push(nats);
      const natsUrl = `nats://${nats.address}`;
      const busMessages = async () => {
        const answer = await fetch(`http://127.0.0.1:${monitor}/varz`);
        return ((await answer.json()) as { readonly in_msgs: number }).in_msgs;
      };
      return await compared({ ofOne, ofThree, natsUrl, busMessages }, options);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  },
};

async function startDatabase(): Promise<PostgresServer> {
  const started = await startPostgres({
    durable: true,
    settings: ['shared_preload_libraries=pg_stat_statements'],
  });
  if (started.server === undefined) throw new Error(started.reason);
  return started.server;
}

async function compared(servers: Servers, { scale, profile }: BenchOptions): Promise<BenchResult> {
  const parts: Part[] = [];
  const clients: Client[] = [];
  const start = async (name: string) => {
    const part = startPart(name, name === 'platform' ? { profile } : {});
    parts.push(part);
    return part;
  };
  try {
    const one = await startNodes(servers, 1, start);
    const three = await startNodes(servers, 3, start);
    clients.push(one.database, three.database);
    for (const { phones } of [...one.nodes, ...three.nodes])
      await phones.ask<CallOutcome>('direct', { ...warmUp, count: Math.round(warmUp.count * scale) });
    const run = {
      count: Math.max(10, Math.round(callsOfNode * scale)),
      atOnce: 1,
      everyMs: 1_000 / callsPerSecond,
    };
    const beside = async (calls: typeof callsWithin): Promise<Round> => {
      const [alone, cluster] = await Promise.all([
        costsOf(one, () => callsWithin(one.nodes, run)),
        costsOf(three, () => calls(three.nodes, run)),
      ]);
      return { alone, cluster };
    };
    for (const calls of [callsWithin, callsAcross]) await beside(calls);
    const outcomes: Outcomes = { within: [], across: [] };
    for (let round = 0; round < rounds; round++) {
      outcomes.within.push(await beside(callsWithin));
      outcomes.across.push(await beside(callsAcross));
    }
    const reads = await readsOf(three.nodes, await start('http-load'), scale);
    return { figures: figuresOf(outcomes, reads), details: { calls: run.count, outcomes, reads } };
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
    await Promise.all(clients.map((client) => client.end()));
  }
}

interface Nodes {
  readonly nodes: readonly BenchNode[];
  readonly database: Client;
  /** Since the start of the bus; a node alone has none. */
  busMessages(): Promise<number>;
}

async function startNodes(
  { ofOne, ofThree, natsUrl, busMessages }: Servers,
  count: 1 | 3,
  start: (name: string) => Promise<Part>,
): Promise<Nodes> {
  const databaseUrl = await (count === 1 ? ofOne : ofThree).createDatabase();
  const nodes: BenchNode[] = [];
  for (let at = 0; at < count; at++) {
    const platform = await start('platform');
    const first = firstPort + portsOfNode * (count === 1 ? 3 : at);
    const started = await platform.ask<StartedPlatform>('start', {
      databaseUrl,
      // Nodes of one key are one platform.
      secretKey: new Uint8Array(32).fill(7),
      rtpPorts: { first, last: first + portsOfNode - 1 },
      ...(count === 1 ? {} : { cluster: { node: `node-${at + 1}`, nats: asNatsUrls(natsUrl)! } }),
    } satisfies PlatformStart);
    const { load, usernames } = await startPhones({ started, start }, `node${at + 1}of${count}phone`);
    nodes.push({ platform, started, phones: load, callee: usernames[0]! });
  }
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  return { nodes, database, busMessages: count === 1 ? async () => 0 : busMessages };
}

/** Each phone calls its neighbour at the same node. */
function callsWithin(nodes: readonly BenchNode[], run: CallRun): Promise<readonly CallOutcome[]> {
  return Promise.all(nodes.map(({ phones }) => phones.ask<CallOutcome>('direct', run)));
}

/** Each phone calls a phone of the next node. */
function callsAcross(nodes: readonly BenchNode[], run: CallRun): Promise<readonly CallOutcome[]> {
  return Promise.all(
    nodes.map(({ phones }, at) =>
      phones.ask<CallOutcome>('direct', { ...run, callee: nodes[(at + 1) % nodes.length]!.callee }),
    ),
  );
}

async function costsOf(
  { nodes, ...counted }: Nodes,
  load: () => Promise<readonly CallOutcome[]>,
): Promise<CallCosts> {
  const before = await countersOf(counted);
  const cpuBefore = await cpuOf(nodes);
  const outcomes = await load();
  // The last records are written after the phones have hung up.
  for (const { platform } of nodes) await untilNoLegs(platform);
  const cpuMs = (await cpuOf(nodes)) - cpuBefore;
  const after = await countersOf(counted);
  const failures = outcomes.reduce((sum, outcome) => sum + outcome.failures, 0);
  const calls = outcomes.reduce((sum, outcome) => sum + outcome.operations, 0);
  if (failures > 0) throw new Error(`${failures} of ${calls + failures} calls failed`);
  const each = (name: keyof Counters) => (after[name] - before[name]) / calls;
  return {
    cpuMicroseconds: (cpuMs * 1000) / calls,
    statements: each('statements'),
    walBytes: each('walBytes'),
    busMessages: each('busMessages'),
    rollbacks: after.rollbacks - before.rollbacks,
  };
}

async function cpuOf(nodes: readonly BenchNode[]): Promise<number> {
  const readings = await Promise.all(nodes.map(({ platform }) => platform.cpu()));
  return readings.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

async function countersOf({ database, busMessages }: Omit<Nodes, 'nodes'>): Promise<Counters> {
  // The statistics of a backend reach the others when it has been idle for a second.
  await wait(1_100);
  const { rows } = await database.query<Readonly<Record<string, string>>>(
    `SELECT (SELECT sum(calls) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE datname = current_database()) AS statements,
      pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS wal,
      (SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()) AS rollbacks`,
  );
  const { statements, wal, rollbacks } = rows[0]!;
  return {
    statements: Number(statements),
    walBytes: Number(wal),
    rollbacks: Number(rollbacks),
    busMessages: await busMessages(),
  };
}

interface Reads {
  readonly atHome: HttpOutcome;
  readonly elsewhere: HttpOutcome;
}

/** Reads a live call at its own node and through another one, one request at a time. */
async function readsOf(nodes: readonly BenchNode[], load: Part, scale: number): Promise<Reads> {
  const [home, other] = nodes as [BenchNode, BenchNode];
  await home.phones.ask('hold', { count: 1, atOnce: 1 } satisfies CallRun);
  const { authId, authorization, http } = home.started;
  const calls = `/v1/Account/${authId}/Call/`;
  const listed = await fetch(`http://127.0.0.1:${http.port}${calls}?status=live`, {
    headers: { authorization },
  });
  const { calls: live } = (await listed.json()) as { readonly calls: readonly string[] };
  const paths = [`${calls}${live[0]}/?status=live`];
  const read = ({ started }: BenchNode) =>
    load.ask<HttpOutcome>('run', {
      port: started.http.port,
      requests: { kind: 'read', paths, authorization },
      seconds: readSeconds * Math.max(scale, 0.2),
      connections: 1,
    } satisfies HttpLoad);
  const all: { atHome: HttpOutcome[]; elsewhere: HttpOutcome[] } = { atHome: [], elsewhere: [] };
  for (let round = 0; round <= rounds; round++) {
    all.atHome.push(await read(home));
    all.elsewhere.push(await read(other));
  }
  await home.phones.ask('hangUp');
  for (const { failures, body } of [...all.atHome, ...all.elsewhere])
    if (failures > 0) throw new Error(`${failures} reads of a live call failed: ${body}`);
  return { atHome: fastest(all.atHome), elsewhere: fastest(all.elsewhere) };
}

/** Other load on the machine only adds. */
function fastest(outcomes: readonly HttpOutcome[]): HttpOutcome {
  return outcomes.reduce((best, each) => (each.p50Ms < best.p50Ms ? each : best));
}

function figuresOf({ within, across }: Outcomes, { atHome, elsewhere }: Reads): readonly Figure[] {
  const all = [...within, ...across];
  const calls = (what: string, costs: readonly CallCosts[]): Figure => {
    const { cpuMicroseconds, statements, walBytes, busMessages } = middle(
      costs,
      (each) => each.cpuMicroseconds,
    );
    return {
      what,
      value: 1e6 / cpuMicroseconds,
      unit: '/s per core',
      note: `${Math.round(cpuMicroseconds)} µs of CPU, ${statements.toFixed(1)} statements, ${(walBytes / 1024).toFixed(1)} KiB of log and ${busMessages.toFixed(1)} bus messages a call`,
    };
  };
  const share = ({ alone, cluster }: Round) => alone.cpuMicroseconds / cluster.cpuMicroseconds;
  const shares = (of: readonly Round[]) => {
    const each = of.map(share);
    return {
      value: share(middle(of, share)),
      unit: '×',
      note: `rounds ${Math.min(...each).toFixed(2)} to ${Math.max(...each).toFixed(2)}`,
    };
  };
  const rollbacks = all.reduce((sum, { alone, cluster }) => sum + alone.rollbacks + cluster.rollbacks, 0);
  return [
    calls(
      'direct calls, one node on PostgreSQL',
      all.map(({ alone }) => alone),
    ),
    calls(
      'direct calls, three nodes',
      within.map((round) => round.cluster),
    ),
    {
      what: 'calls a CPU second, three nodes of one',
      ...shares(within),
      budget: { atLeast: 0.9 },
    },
    calls(
      'calls to a phone of another node, three nodes',
      across.map((round) => round.cluster),
    ),
    { what: 'calls a CPU second to another node, of one', ...shares(across) },
    {
      what: 'time that a hop adds to a read of a live call, p50',
      value: elsewhere.p50Ms - atHome.p50Ms,
      unit: 'ms',
      budget: { atMost: 1 },
      note: `${atHome.p50Ms.toFixed(2)} ms at its node, ${elsewhere.p50Ms.toFixed(2)} ms through another; p99 ${atHome.p99Ms.toFixed(2)} and ${elsewhere.p99Ms.toFixed(2)}`,
    },
    { what: 'transactions rolled back', value: rollbacks, unit: '', budget: { atMost: 0 } },
  ];
}

/** The one with the median value. */
function middle<Value>(values: readonly Value[], of: (value: Value) => number): Value {
  return [...values].sort((one, other) => of(one) - of(other))[values.length >> 1]!;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
