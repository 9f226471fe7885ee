import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
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

interface Counted {
  /** The largest number of calls that were up at once. */
  readonly atOnce: number;
  readonly begun: readonly number[];
  readonly live: number;
}

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

  /** Two nodes on a database of their own, whose only carrier has these caps. */
  async function start(caps: object): Promise<void> {
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
    for (const node of ['one', 'two'])
      nodes.push(await PlatformProcess.start({ ...shared, JACKFIELD_NODE: node }));
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

  async function counted(): Promise<Counted> {
    const lines = (await carrier.log()).matchAll(/(begun|ended) (\S+) (\d+)/g);
    const live = new Set<string>();
    const begun: number[] = [];
    let atOnce = 0;
    for (const [, what, id, at] of lines) {
      if (what === 'ended') live.delete(id!);
      else if (!live.has(id!)) {
        live.add(id!);
        begun.push(Number(at));
      }
      atOnce = Math.max(atOnce, live.size);
    }
    return { atOnce, begun, live: live.size };
  }

  it('as many calls as allowed are up at once, the calls of all nodes together, also after a node was killed', async () => {
    await start({ concurrent_calls: mostCalls });
    await call(5);
    assert.deepEqual(await counted().then(({ atOnce, live }) => [atOnce, live]), [mostCalls, mostCalls]);
    // Calls that end make room, at every node.
    await nodes[0]!.api('DELETE', 'Call/');
    for (const node of nodes) await node.untilQuiet(20_000);
    await call(3);
    assert.equal((await counted()).atOnce, mostCalls);
    const [one, two] = nodes;
    two!.signal('SIGKILL');
    await two!.log.until('the end', ({ message }) => message === 'exit');
    nodes = [one!];
    await call(5);
    assert.equal(
      (await counted()).atOnce,
      mostCalls,
      'calls of a killed node count until another one ends them',
    );
  });

  it('no more calls begin within a second than allowed, at all nodes together', async () => {
    await start({ calls_per_second: callsPerSecond });
    for (let rounds = 0; rounds < 6; rounds++) await call(4);
    const { begun } = await counted();
    assert.ok(begun.length >= callsPerSecond, `${begun.length} calls`);
    for (const [at, from] of begun.entries())
      for (const [other, to] of begun.entries()) {
        // sipp counts the milliseconds of its loop, which has turns of up to 10 ms.
        const allowed = callsPerSecond * (1 + (to - from + 20) / 1000);
        if (other > at) assert.ok(other - at + 1 <= allowed, `${other - at + 1} calls in ${to - from} ms`);
      }
  });

  it('all nodes together spend no more in an hour than allowed', async () => {
    await start({ spend_per_hour: `${prices.hourly}.00` });
    await call(4);
    const most = Math.floor(prices.hourly / prices.worstCase);
    assert.equal((await counted()).atOnce, most, 'the worst cases of calls that are up');
    await nodes[0]!.api('DELETE', 'Call/');
    for (const node of nodes) await node.untilQuiet(20_000);
    // A call of a few seconds costs a few units, and its worst case is free again.
    await call(4);
    const { begun, live } = await counted();
    assert.ok(begun.length > most && live <= most, `${begun.length} calls, ${live} up`);
  });
});
