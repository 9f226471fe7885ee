import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { brokenInvariants } from '@jackfield/testkit';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import { missing } from './support/installed.ts';
import type { PlatformProcess } from './support/platform-process.ts';
import { RegisteredPhones } from './support/registered-phones.ts';
import { WatchedRows } from './support/watched-rows.ts';

const skip = postgresMissing() ?? natsMissing() ?? missing('baresip', 'sox');

/** Real processes; each node has phones of its own. */
describe('nodes that end while others run', { skip, timeout: 240_000 }, () => {
  let cluster: Cluster;
  let one: PlatformProcess;
  let two: PlatformProcess;
  const phones = new RegisteredPhones();

  before(async () => {
    cluster = await Cluster.start();
    [one, two] = await Promise.all([cluster.join('one'), cluster.join('two')]);
  });
  after(() =>
    cleanUp(
      () => phones.stop(),
      () => cluster?.stop(),
    ),
  );

  it('a node that is killed: another one ends its calls at its last heartbeat, hangs up their phones, and sends their callbacks', async () => {
    const three = await cluster.join('three');
    const hangup_url = cluster.customer.serve('/killed', '');
    const { phone, username } = await phones.start(three, 'ann', 440);
    const to = `sip:${username}@${three.sipAddress}`;
    const [near, far] = [await cluster.callAt(one), await cluster.callAt(three, { hangup_url, to })];
    const killedAt = Date.now();
    await cluster.kill(three);
    const { end_time } = await one.until(
      'the record',
      `Call/${far}/`,
      ({ end_time }) => typeof end_time === 'string',
    );
    assert.ok(Date.parse(end_time) <= killedAt + 1_000, end_time);
    // A phone of another maker accepts the BYE from the address of another node.
    await phone.closed();
    await cluster.customer.asked('/killed');
    for (const node of [one, two]) {
      const { body } = await node.api('GET', 'Call/?status=live');
      assert.deepEqual(body.calls, [near]);
    }
    assert.equal((await two.api('POST', `Call/${near}/DTMF/`, { digits: '1' })).status, 202);
    assert.equal((await two.api('DELETE', `Call/${near}/`)).status, 204);
  });

  it('a node that is asked to end leaves nothing to wait for', async () => {
    const five = await cluster.join('five');
    const far = await cluster.callAt(five);
    // Another node may be done before the process has ended.
    const from = [one, two].map(({ log }) => log.all.length);
    await cluster.close(five);
    await one.until('the record', `Call/${far}/`, ({ end_time }) => typeof end_time === 'string');
    // Well within the silence after which a node counts as dead.
    const takenOver = ({ message }: Record<string, unknown>) =>
      /left is ended or taken over/.test(String(message));
    await Promise.any(
      [one, two].map(({ log }, index) =>
        log.until('the takeover', takenOver, { from: from[index]!, limitMs: 9_000 }),
      ),
    );
  });

  it('a stopped node whose fence is taken off writes when it wakes, and the checker of histories finds it', async () => {
    const four = await cluster.join('four');
    const watched = await WatchedRows.begin(cluster.databaseUrl);
    await watched.withoutFence();
    const far = await cluster.callAt(four);
    four.signal('SIGSTOP');
    await one.until('the record', `Call/${far}/`, ({ end_time }) => typeof end_time === 'string');
    assert.deepEqual(brokenInvariants(await watched.parts()), []);
    four.signal('SIGCONT');
    const broken = async () => brokenInvariants(await watched.parts()).map(({ invariant }) => invariant);
    while (!(await broken()).includes(5)) await pause(100);
    await cluster.kill(four);
  });
});
