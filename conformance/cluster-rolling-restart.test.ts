import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import type { Database } from '@jackfield/ports';
import { brokenInvariants, createRecordingLog } from '@jackfield/testkit';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import type { PlatformProcess } from './support/platform-process.ts';
import { SeenHistory } from './support/seen-history.ts';
import { SteadyLoad } from './support/steady-load.ts';

const skip = postgresMissing() ?? natsMissing() ?? false;

/** Between two restarts, so that each node gets calls again. */
const callsBetween = 6;

/** Real processes. */
describe('three nodes that are restarted one after another under load', { skip, timeout: 300_000 }, () => {
  let cluster: Cluster;
  let database: Database;
  let nodes: readonly PlatformProcess[];
  let load: SteadyLoad | undefined;

  before(async () => {
    cluster = await Cluster.start({ JACKFIELD_DRAIN_SECONDS: '60' });
    database = createPostgresDatabase({ url: cluster.databaseUrl, log: createRecordingLog() });
    nodes = await Promise.all(['one', 'two', 'three'].map((name) => cluster.join(name)));
  });
  after(() =>
    cleanUp(
      () => load?.stop(),
      () => database?.close(),
      () => cluster?.stop(),
    ),
  );

  /** As `jackfield nodes drain --wait` does. */
  async function drain(node: PlatformProcess, name: string): Promise<void> {
    const other = nodes.find((each) => each !== node) ?? assert.fail('another node');
    assert.equal((await other.api('POST', `Operator/Node/${name}/Drain/`)).status, 200);
    await other.until('the end of its calls', 'Operator/Node/', ({ objects }) =>
      objects.some(
        (each: { node: string; state: string; calls: number }) =>
          each.node === name && each.state === 'draining' && each.calls === 0,
      ),
    );
  }

  it('no call fails: each is made, plays its document to the end, and has its callbacks in order', async () => {
    const { customer } = cluster;
    const answer_url = customer.serve(
      '/answer',
      '<Response><Speak>hello</Speak><Wait length="1"/></Response>',
    );
    const urls = {
      answer_url,
      hangup_url: customer.serve('/ended', ''),
      ring_url: customer.serve('/ringing', ''),
    };
    const { body: application } = await nodes[0]!.api('POST', 'Application/', {
      app_name: 'waiting',
      answer_url,
      hangup_url: urls.hangup_url,
    });
    const running = new SteadyLoad(nodes, [
      { path: 'Call/', body: { from: '+12025550000', to: '+12025550101', ...urls } },
      { path: 'Sandbox/Call/', body: { to: application.app_id, hangup_after: 30, record: false } },
    ]);
    load = running;
    const later = async () => {
      const goal = running.made + callsBetween;
      while (running.made < goal) await new Promise((resolve) => setTimeout(resolve, 50));
    };

    await later();
    await drain(nodes[0]!, 'one');
    assert.equal(await nodes[0]!.end(), 0);
    await nodes[0]!.startAgain();
    // By the signal alone, which waits for the calls as well.
    for (const node of nodes.slice(1)) {
      await later();
      assert.equal(await node.end(), 0);
      await node.startAgain();
    }
    await later();
    const { calls, failures, refused, unreached } = await running.stop();
    assert.deepEqual(failures, []);
    assert.ok(refused + unreached > 0, 'the load has met no node that drained or was down');

    for (const call of calls) {
      const record = await nodes[0]!.until('the end', `Call/${call}/`, ({ end_time }) => end_time !== null);
      assert.equal(
        record.hangup_cause_code,
        4010,
        `${record.hangup_cause_name} of ${JSON.stringify(record)}`,
      );
      assert.ok(record.call_duration >= 1, JSON.stringify(record));
    }
    const parts = await new SeenHistory(cluster, database).parts();
    assert.deepEqual(brokenInvariants(parts), []);
    const ended = customer.received.all.filter(({ target }) => target === '/ended');
    assert.deepEqual(ended.map(({ fields }) => fields.get('CallUUID')).sort(), [...calls].sort());
    for (const node of nodes) await node.untilQuiet();
  });
});
