import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import type { Database } from '@jackfield/ports';
import {
  conversation,
  createRecordingLog,
  type OpenDatabase,
  openSimulatedWorld,
  type PostgresServer,
  postgresMissing,
  type SimulatedWorld,
  startPostgres,
} from '@jackfield/testkit';

/** Each world is a node; they share the database, and each has its own clock, phones and network. */
describe('two incarnations on one PostgreSQL database', { skip: postgresMissing() ?? false }, () => {
  let server: PostgresServer;
  let url: string;
  let opened: { readonly world: SimulatedWorld; readonly database: Database }[] = [];
  let seed = 0;

  before(async () => {
    const started = await startPostgres();
    assert.ok(started.server !== undefined);
    server = started.server;
  });
  after(() => server.stop());
  afterEach(async () => {
    for (const { world, database } of opened.splice(0)) {
      world.node.kill();
      await world.node.release().catch(() => {});
      await database.close();
    }
  });

  async function open(node: string, onIncarnationEnded = () => {}): Promise<SimulatedWorld> {
    const database = createPostgresDatabase({ url, isShared: true, log: createRecordingLog() });
    const openShared: OpenDatabase = Object.assign(async () => database, {
      again: async () => database,
      beforeClose: () => {},
    });
    const settings = { node, onIncarnationEnded };
    const world = await openSimulatedWorld({ database: openShared, phones: 'none', seed: ++seed, settings });
    opened = [...opened, { world, database }];
    return world;
  }

  const live = async (world: SimulatedWorld): Promise<readonly string[]> =>
    (await world.call('GET', 'Call/?status=live')).body.calls;
  /** Without the name of the request. */
  const recordOf = async (world: SimulatedWorld, leg: string) => {
    const { api_id: _, ...record } = (await world.call('GET', `Call/${leg}/`)).body;
    return record;
  };

  it('the second one, of another node, leaves the calls of the first alone, and each goes on with its own', async () => {
    url = await server.createDatabase();
    const first = await open('one');
    const { caller, callee } = await conversation(first);
    const second = await open('two');
    const own = await conversation(second);
    assert.deepEqual(new Set(await live(second)), new Set([caller, callee, own.caller, own.callee]));
    await first.advance(60_000);
    assert.equal((await first.call('DELETE', `Call/${caller}/`)).status, 204);
    await first.advance(1_000);
    for (const leg of [caller, callee]) {
      assert.equal((await recordOf(second, leg)).call_state, 'ANSWER');
      assert.equal((await recordOf(second, leg)).hangup_cause_code, 4000);
    }
    assert.deepEqual(new Set(await live(second)), new Set([own.caller, own.callee]));
  });

  it('the next one of its node ends its calls, and what it still writes is refused', async () => {
    url = await server.createDatabase();
    let ends = 0;
    const first = await open('one', () => ends++);
    const { caller } = await conversation(first);
    const beside = await open('two');
    const other = await conversation(beside);
    const next = await open('one');
    assert.deepEqual(new Set(await live(next)), new Set([other.caller, other.callee]));
    const ended = await recordOf(next, caller);
    assert.equal(ended.hangup_cause_code, 5010);
    assert.equal(ends, 0);
    // It was only cut off, and knows nothing of its end.
    first.telephony.leave(caller);
    await first.advance(2_000);
    assert.equal(ends, 1);
    assert.deepEqual(await recordOf(next, caller), ended);
    const application = { app_name: 'late', answer_url: 'https://customer.example/answer' };
    assert.equal((await first.call('POST', 'Application/', { body: application })).status, 503);
    assert.equal((await next.call('GET', 'Application/')).body.objects.length, 0);
    assert.equal((await live(beside)).length, 2);
  });
});
