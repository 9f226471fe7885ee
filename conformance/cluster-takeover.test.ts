import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import { missing } from './support/installed.ts';
import type { PlatformProcess } from './support/platform-process.ts';
import { RegisteredPhones } from './support/registered-phones.ts';

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

  it('a node that is stopped for 20 s: another one ends its calls, and it ends itself when it wakes', async () => {
    const four = await cluster.join('four');
    const far = await cluster.callAt(four);
    four.signal('SIGSTOP');
    const stoppedAt = performance.now();
    await one.until('the record', `Call/${far}/`, ({ end_time }) => typeof end_time === 'string');
    const record = (await two.api('GET', `Call/${far}/`)).body;
    await new Promise((resolve) => setTimeout(resolve, 20_000 - (performance.now() - stoppedAt)));
    await cluster.kill(four, 'SIGCONT');
    assert.ok(
      four.log.all.some((line) => /another process has taken over node four/.test(JSON.stringify(line))),
    );
    const { api_id: _, ...after } = (await two.api('GET', `Call/${far}/`)).body;
    const { api_id: __, ...before } = record;
    assert.deepEqual(after, before);
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
});
