import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import type { PlatformProcess } from './support/platform-process.ts';
import { gatewayOf, Smsc } from './support/smsc.ts';

const skip = postgresMissing() ?? natsMissing();
const role = 'session with gateway smsc';

/** Real processes on one database, and an SMSC that counts its sessions. */
describe('messages of several nodes', { skip, timeout: 180_000 }, () => {
  let cluster: Cluster;
  let smsc: Smsc;
  let directory: string;
  let holder: PlatformProcess;
  let other: PlatformProcess;
  const binds = () => smsc.notices.all.filter(({ saw }) => saw === 'bind').length;

  before(async () => {
    smsc = await Smsc.start();
    directory = await mkdtemp(join(tmpdir(), 'messages-'));
    const file = join(directory, 'sms.json');
    await writeFile(file, JSON.stringify({ gateways: [gatewayOf(smsc)] }));
    cluster = await Cluster.start({ JACKFIELD_SMS: file });
    const nodes = [await cluster.join('one'), await cluster.join('two')];
    await smsc.saw('bind');
    holder = nodes.find(({ log }) => log.all.some(tookRole))!;
    other = nodes.find((node) => node !== holder)!;
  });

  after(() =>
    cleanUp(
      () => cluster?.stop(),
      () => smsc?.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  const tookRole = (line: Record<string, unknown>) =>
    line.message === 'took a role of the cluster' && line.role === role;

  async function begin(at: PlatformProcess, recipient: string): Promise<string> {
    const url = cluster.customer.url;
    const { status, body } = await at.api('POST', 'Verify/Session/', { recipient, url });
    assert.equal(status, 202, JSON.stringify(body));
    return body.session_uuid;
  }
  const reported = (session: string, status: string) =>
    cluster.customer.received.until(
      `${status} of ${session}`,
      ({ fields }) => fields.get('SessionUUID') === session && fields.get('ChannelStatus') === status,
    );
  /** The message of a verification leaves, and its receipt comes back to it. */
  async function delivered(at: PlatformProcess, recipient: string): Promise<void> {
    const from = smsc.notices.all.length;
    const session = await begin(at, recipient);
    const submit = await smsc.saw('submit', from);
    smsc.receipt(submit.id ?? '');
    await reported(session, 'delivered');
  }
  const figuresOf = async (node: PlatformProcess) => ({
    ...(await node.metrics('jackfield_role_held{role="session')),
    ...(await node.metrics('jackfield_message_gateway_bound')),
  });
  const figures = (value: number) => ({
    [`jackfield_role_held{role="${role}"}`]: value,
    'jackfield_message_gateway_bound{gateway="smsc"}': value,
  });

  it('leave over the one session with the gateway, and receipts reach the node of their verification', async () => {
    await delivered(holder, '+14155552671');
    await delivered(other, '+14155552672');
    assert.equal(binds(), 1);
    assert.deepEqual(await figuresOf(holder), figures(1));
    assert.deepEqual(await figuresOf(other), figures(0));
    const { body } = await other.api('GET', 'Operator/Gateway/');
    assert.deepEqual(body.objects, [{ name: 'smsc', kind: 'smpp', state: 'elsewhere', problem: null }]);
    const nodes = (await other.api('GET', 'Operator/Node/')).body.objects;
    const holders = nodes.filter(({ roles }: { roles: readonly string[] }) => roles.includes(role));
    assert.equal(holders.length, 1);
  });

  it('a message that is under way when the node with the session is killed leaves over the session of its successor', async () => {
    smsc.instruct({ do: 'ignore' });
    const from = smsc.notices.all.length;
    const session = await begin(other, '+14155552673');
    await smsc.saw('submit', from);
    const killedAt = smsc.notices.all.length;
    await cluster.kill(holder);
    const waiting = await begin(other, '+14155552674');
    await smsc.saw('bind', killedAt);
    await Promise.all([reported(session, 'sent'), reported(waiting, 'sent')]);
    assert.equal(binds(), 2);
    assert.deepEqual(await figuresOf(other), figures(1));
  });

  it('a node that drains unbinds before another one binds', async () => {
    const third = await cluster.join('three');
    const from = smsc.notices.all.length;
    const node = (await third.api('GET', 'Operator/Node/')).body.objects.find(
      ({ roles }: { roles: readonly string[] }) => roles.includes(role),
    );
    const { status } = await third.api('POST', `Operator/Node/${node.node}/Drain/`);
    assert.equal(status, 200);
    await smsc.saw('bind', from);
    const since = smsc.notices.all.slice(from).map(({ saw }) => saw);
    assert.deepEqual(
      since.filter((saw) => saw === 'bind' || saw === 'unbind'),
      ['unbind', 'bind'],
    );
    await delivered(third, '+14155552675');
    assert.equal(binds(), 3);
  });
});
