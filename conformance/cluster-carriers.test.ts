import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { brokenInvariants, type History } from '@jackfield/testkit';
import { type NatsServer, natsMissing } from '@jackfield/testkit/nats-server';
import { type PostgresServer, postgresMissing } from '@jackfield/testkit/postgres-server';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { nodeSettings, startClusterServers } from './support/cluster.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { Sipp } from './support/sipp.ts';

const skip = postgresMissing() ?? natsMissing() ?? missing('sipp');

const mostCalls = 4;
const callsPerSecond = 4;
/** 60.00 a minute; the time limit and 32 s more make each call's worst case 92.00. */
const rates = {
  currency: 'USD',
  rates: [
    { prefix: '', direction: 'outbound', per_minute: '60.00', initial_seconds: 1, increment_seconds: 1 },
  ],
};
const prices = { hourly: 300, worstCase: 92 };

/** A call of a carrier, as it counts; without an end while it is up. */
interface Counted {
  readonly from: number;
  readonly to?: number;
}

type CarrierHistory = History['carriers'][number];

/** sipp counts the milliseconds of its loop, which has turns of up to 10 ms: each end of a second may be off by one. */
const slackOfRate = 1.02;

/** Real processes on one database, and a carrier that counts what arrives. */
describe('caps of a carrier over several nodes', { skip, timeout: 240_000 }, () => {
  let postgres: PostgresServer;
  let nats: NatsServer;
  let customer: CallbackReceiver;
  let directory: string;
  let carrier: Sipp;
  let nodes: PlatformProcess[] = [];

  before(async () => {
    ({ postgres, nats } = await startClusterServers());
    customer = await CallbackReceiver.start();
    directory = await mkdtemp(join(tmpdir(), 'caps-'));
  });

  after(() =>
    cleanUp(
      () => customer?.stop(),
      () => nats?.stop(),
      () => postgres?.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  afterEach(() =>
    cleanUp(
      ...nodes
        .splice(0)
        .flatMap((node) => [() => node.stop(), () => rm(node.dataDir, { recursive: true, force: true })]),
      () => carrier?.stop(),
    ),
  );

  /** Nodes on a database of their own, whose only carrier has these caps. */
  async function start(caps: object, names = ['one', 'two']): Promise<void> {
    const port = await freePort();
    carrier = await Sipp.start({
      remote: '127.0.0.1:9',
      scenario: 'carrier-counting',
      user: 'carrier',
      password: '',
      port,
      calls: 10_000,
      timeoutSeconds: 220,
    });
    const [carriers, prices] = [join(directory, 'carriers.json'), join(directory, 'rates.json')];
    const outside = {
      name: 'outside',
      host: '127.0.0.1',
      port,
      prefixes: [{ prefix: '44' }],
      probe_seconds: 0,
      caps,
    };
    await writeFile(carriers, JSON.stringify({ carriers: [outside] }));
    await writeFile(prices, JSON.stringify(rates));
    const shared = {
      ...(await nodeSettings({ postgres, nats })),
      JACKFIELD_CARRIERS: carriers,
      JACKFIELD_RATES: prices,
    };
    for (const node of names) nodes.push(await PlatformProcess.start({ ...shared, JACKFIELD_NODE: node }));
  }

  /** Asks for so many calls at each node at once; resolves when each is up or refused. */
  async function call(each: number): Promise<void> {
    const answer_url = customer.serve('/wait', '<Response><Wait length="120"/></Response>');
    const order = { from: '+12025550000', to: '+442079460100', answer_url, time_limit: 60 };
    const placed = await Promise.all(
      nodes.flatMap((node) => Array.from({ length: each }, () => node.api('POST', 'Call/', order))),
    );
    const uuids = placed.map(({ status, body }) => {
      assert.equal(status, 201, JSON.stringify(body));
      return body.request_uuid as string;
    });
    await Promise.all(
      uuids.map((uuid) =>
        nodes[0]!.until(
          'the call',
          `Call/${uuid}/`,
          ({ end_time, answer_time }) => typeof (end_time ?? answer_time) === 'string',
        ),
      ),
    );
  }

  async function counted(): Promise<readonly Counted[]> {
    const calls = new Map<string, Counted>();
    for (const [, what, id, at] of (await carrier.log()).matchAll(/(begun|ended) (\S+) (\d+)/g)) {
      const known = calls.get(id!);
      if (what === 'begun' && known === undefined) calls.set(id!, { from: Number(at) });
      if (what === 'ended' && known !== undefined) calls.set(id!, { to: Number(at), ...known });
    }
    return [...calls.values()];
  }

  const upOf = (calls: readonly Counted[]) => calls.filter(({ to }) => to === undefined).length;

  /** The calls of all nodes together, as the carrier counts and charges them, keep the caps; resolves with the calls. */
  async function judged(caps: CarrierHistory['caps']): Promise<readonly Counted[]> {
    const counts = await counted();
    const now = Math.max(...counts.flatMap(({ from, to = from }) => [from, to]));
    // A call that is up is charged with its worst case.
    const calls = counts.map(({ from, to }) => ({
      from,
      to: to ?? now + 1,
      cost: to === undefined ? prices.worstCase : Math.ceil((to - from) / 1_000),
    }));
    assert.deepEqual(brokenInvariants({ carriers: [{ carrier: 'outside', calls, caps }] }), []);
    return counts;
  }

  it('as many calls as allowed are up at once, the calls of three nodes together, also after a node was killed', async () => {
    const caps = { atOnce: mostCalls };
    await start({ concurrent_calls: mostCalls }, ['one', 'two', 'three']);
    await call(4);
    assert.equal(upOf(await judged(caps)), mostCalls);
    // Calls that end make room, at every node.
    await nodes[0]!.api('DELETE', 'Call/');
    for (const node of nodes) await node.untilQuiet(20_000);
    await call(3);
    // What a node may use and does not lies idle for a while, so that another one may have less.
    assert.ok(upOf(await judged(caps)) > 0);
    const [one, two, three] = nodes;
    two!.signal('SIGKILL');
    await two!.log.until('the end', ({ message }) => message === 'exit');
    nodes = [one!, three!];
    await call(3);
    // Calls of a killed node count until another one ends them.
    await judged(caps);
  });

  it('no more calls begin within a second than allowed, at all nodes together', async () => {
    await start({ calls_per_second: callsPerSecond });
    for (let rounds = 0; rounds < 6; rounds++) await call(4);
    const calls = await judged({ perSecond: callsPerSecond * slackOfRate });
    assert.ok(calls.length >= callsPerSecond, `${calls.length} calls`);
  });

  it('all nodes together spend no more in an hour than allowed', async () => {
    const caps = { spendPerHour: prices.hourly };
    await start({ spend_per_hour: `${prices.hourly}.00` });
    await call(4);
    const most = Math.floor(prices.hourly / prices.worstCase);
    assert.equal(upOf(await judged(caps)), most, 'the worst cases of calls that are up');
    await nodes[0]!.api('DELETE', 'Call/');
    for (const node of nodes) await node.untilQuiet(20_000);
    // A call of a few seconds costs a few units, and its worst case is free again.
    await call(4);
    const calls = await judged(caps);
    assert.ok(calls.length > most && upOf(calls) <= most, `${calls.length} calls, ${upOf(calls)} up`);
  });
});
