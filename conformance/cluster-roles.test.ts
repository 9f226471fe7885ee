import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type NatsServer, natsMissing } from '@jackfield/testkit/nats-server';
import { type PostgresServer, postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { nodeSettings, startClusterServers } from './support/cluster.ts';
import { missing } from './support/installed.ts';
import { patienceMs } from './support/patience.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { Sipp } from './support/sipp.ts';

const skip = postgresMissing() ?? natsMissing() ?? missing('sipp');

/** Real processes on one database, and a registrar that counts what arrives. */
describe('roles that one of several nodes holds', { skip, timeout: 180_000 }, () => {
  let postgres: PostgresServer;
  let nats: NatsServer;
  let directory: string;
  let registrar: Sipp;
  const nodes: PlatformProcess[] = [];

  before(async () => {
    ({ postgres, nats } = await startClusterServers());
    directory = await mkdtemp(join(tmpdir(), 'roles-'));
  });

  after(() =>
    cleanUp(
      ...nodes.flatMap((node) => [
        () => node.stop(),
        () => rm(node.dataDir, { recursive: true, force: true }),
      ]),
      () => registrar?.stop(),
      () => nats?.stop(),
      () => postgres?.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  /** By port, and in their order. A registration that is sent again, on a busy machine or after its expiry, is the same one. */
  async function contacts(): Promise<readonly string[]> {
    const found = (await registrar.log()).matchAll(/registered .*:(\d+)[;>].* for (\d+) s/g);
    const all = [...found].map(([, port, seconds]) => (seconds === '0' ? `${port} removed` : `${port}`));
    return all.filter((contact, index) => contact !== all[index - 1]);
  }

  async function registrations(count: number): Promise<void> {
    for (const limit = Date.now() + patienceMs; (await contacts()).length < count && Date.now() < limit; )
      await new Promise((resolve) => setTimeout(resolve, 100));
  }

  it('a carrier gets the registration of one node, and of another one when the first drains or is killed', async () => {
    const port = await freePort();
    registrar = await Sipp.start({
      remote: '127.0.0.1:9',
      scenario: 'registrar-counting',
      user: 'carrier',
      password: '',
      port,
      calls: 1_000,
      callIdsReturn: true,
      timeoutSeconds: 160,
    });
    const file = join(directory, 'carriers.json');
    const outside = {
      name: 'outside',
      host: '127.0.0.1',
      port,
      prefixes: [{ prefix: '44' }],
      caps: { concurrent_calls: 5 },
      username: 'me',
      password: 'secret',
      registration: { aor: 'sip:me@127.0.0.1' },
      probe_seconds: 0,
    };
    await writeFile(file, JSON.stringify({ carriers: [outside] }));
    const shared = { ...(await nodeSettings({ postgres, nats })), JACKFIELD_CARRIERS: file };
    const start = (node: string) => PlatformProcess.start({ ...shared, JACKFIELD_NODE: node });
    nodes.push(await start('one'), await start('two'));
    await registrar.logged(/registered/);
    const tookRole = ({ message, role }: Record<string, unknown>) =>
      message === 'took a role of the cluster' && role === 'registration with carrier outside';
    let holder = nodes.find(({ log }) => log.all.some(tookRole))!;
    let other = nodes.find((node) => node !== holder)!;
    assert.deepEqual(await contacts(), [`${holder.sipPort}`]);

    // Through the other node, as the operator of a rolling upgrade does.
    const drain = `Operator/Node/${holder === nodes[0] ? 'one' : 'two'}/Drain/`;
    assert.equal((await other.api('POST', drain)).body.state, 'draining');
    await other.log.until('the role', tookRole);
    assert.equal((await fetch(`${holder.httpUrl}/readyz`)).status, 503);
    // The node that drains removes its registration.
    await registrations(3);
    assert.deepEqual(await contacts(), [
      `${holder.sipPort}`,
      `${holder.sipPort} removed`,
      `${other.sipPort}`,
    ]);
    assert.equal((await other.api('DELETE', drain)).body.state, 'serving');
    assert.equal((await fetch(`${holder.httpUrl}/readyz`)).status, 200);

    [holder, other] = [other, holder];
    nodes.splice(nodes.indexOf(holder), 1);
    holder.signal('SIGKILL');
    await holder.log.until('the end', ({ message }) => message === 'exit');
    await rm(holder.dataDir, { recursive: true, force: true });
    await registrations(4);
    assert.deepEqual((await contacts()).slice(2), [`${holder.sipPort}`, `${other.sipPort}`]);
  });
});
