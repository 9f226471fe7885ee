import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import { startEdgeProxy } from './support/edge-proxy.ts';
import { heardTone } from './support/heard.ts';
import { missing } from './support/installed.ts';
import type { Kamailio } from './support/kamailio.ts';
import type { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { type RegisteredPhone, RegisteredPhones } from './support/registered-phones.ts';

const skip = postgresMissing() ?? natsMissing() ?? missing('kamailio', 'baresip', 'sox');
const [edgeAddress, nodesAddress] = ['127.0.0.44', '127.0.0.45'];

/** Two nodes of one database behind the shipped Kamailio, which chooses by Call-ID. */
describe('an edge proxy before a cluster', { skip, timeout: 240_000 }, () => {
  let cluster: Cluster;
  let nodes: readonly [PlatformProcess, PlatformProcess];
  let directory: string;
  let edge: Kamailio;
  let proxied: string;
  const phones = new RegisteredPhones();

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'edge-'));
    cluster = await Cluster.start({
      JACKFIELD_SIP_HOST: nodesAddress,
      JACKFIELD_PROXIES: edgeAddress,
      JACKFIELD_TRUSTED_SOURCES: '192.0.2.0/24',
    });
    nodes = [await cluster.join('one'), await cluster.join('two')];
    const port = await freePort();
    proxied = `${edgeAddress}:${port}`;
    edge = await startEdgeProxy({
      ...{ directory, address: edgeAddress, port, nodeTimeoutMs: 2_000, choice: 'by Call-ID' },
      nodes: nodes.map(({ sipAddress }) => sipAddress),
    });
  });

  after(() =>
    cleanUp(
      () => phones.stop(),
      () => edge?.stop(),
      () => cluster?.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  const phoneOf = (name: string, toneHz: number) =>
    phones.start(nodes[0], name, toneHz, { registrar: proxied });

  async function call(from: RegisteredPhone, to: RegisteredPhone): Promise<void> {
    const known = [from, to].map(({ phone }) => ({ phone, events: phone.events.all.length }));
    from.phone.dial(`sip:${to.username}@${proxied}`);
    await Promise.all(known.map(({ phone, events }) => phone.established(events)));
  }

  /** Legs that live at this node. */
  const legsOf = async (node: PlatformProcess) =>
    (await node.api('GET', 'Operator/Node/')).body.objects.find(
      ({ answers }: { answers: boolean }) => answers,
    ).calls as number;

  it('passes phones and calls to the nodes, phones hear each other, and a node that drains gets none', async () => {
    const alice = await phoneOf('alice', 440);
    const bob = await phoneOf('bob', 700);
    const carol = await phoneOf('carol', 1_000);
    const dave = await phoneOf('dave', 1_300);
    await call(alice, bob);
    await call(carol, dave);
    const [one, two] = await Promise.all(nodes.map(legsOf));
    assert.equal(one! + two!, 4);
    await Promise.all([
      heardTone(alice.phone, 700),
      heardTone(bob.phone, 440),
      heardTone(carol.phone, 1_300),
      heardTone(dave.phone, 1_000),
    ]);
    for (const each of [bob, dave]) each.phone.hangUp();
    await Promise.all([alice, bob, carol, dave].map(({ phone }) => phone.closed()));

    await nodes[0].api('POST', 'Operator/Node/two/Drain/');
    await edge.saw(`node down: ${nodesAddress}:${nodes[1].sipPort}`);
    await call(alice, bob);
    assert.deepEqual(await Promise.all(nodes.map(legsOf)), [2, 0]);
    const known = [alice, bob].map(({ phone }) => ({ phone, events: phone.events.all.length }));
    bob.phone.hangUp();
    await Promise.all(known.map(({ phone, events }) => phone.closed(events)));
  });
});
