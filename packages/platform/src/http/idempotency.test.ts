import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  basic,
  createFailingCommits,
  databaseUnavailable,
  eachDatabase,
  type FailingCommits,
  openSimulatedWorld,
  type SimulatedWorld,
} from '@jackfield/testkit';
import { Type } from 'typebox';
import { problem } from '../kernel/problem.ts';
import { accepted, refused } from '../kernel/result.ts';
import { route } from './index.ts';
import { main, openShell, type Shell } from './testing/shell.ts';

const valid = { username: 'alice', password: 'secret', alias: 'a' };
const key = (value: string) => ({ 'idempotency-key': value });
const create = (world: SimulatedWorld, value: string, body: object = valid, as = world.main) =>
  world.call('POST', 'Endpoint/', { body, headers: key(value), as });
const total = async (world: SimulatedWorld) => (await world.call('GET', 'Endpoint/')).body.meta.total_count;

/** A route whose outcome the test decides. */
function slowRoute() {
  const started: (() => void)[] = [];
  const outcomes: PromiseWithResolvers<'made' | 'refused'>[] = [];
  const slow = route({
    method: 'POST',
    path: 'Slow/',
    operation: 'Take time',
    schema: { body: Type.Object({}) },
    success: 201,
    async run() {
      const outcome = Promise.withResolvers<'made' | 'refused'>();
      outcomes.push(outcome);
      started.shift()?.();
      return (await outcome.promise) === 'made'
        ? accepted({ run: outcomes.length })
        : refused(problem('conflict', 'another endpoint has it'));
    },
  });
  const begun = () => new Promise<void>((resolve) => started.push(resolve));
  return { features: [{ name: 'Slow', routes: [slow] }], outcomes, begun };
}

eachDatabase('Idempotency-Key', (open) => {
  test('the same request with the same key happens once and gets the same answer, also after a restart', async () => {
    const world = await openSimulatedWorld({ database: open });
    const first = await create(world, 'one');
    assert.equal(first.headers['idempotency-replayed'], undefined);
    const second = await create(world, 'one');
    assert.deepEqual(
      [second.status, second.body, second.headers['idempotency-replayed']],
      [201, first.body, 'true'],
    );
    assert.notDeepEqual((await create(world, 'two')).body, first.body);
    assert.equal(await total(world), 2);
    await world.restart();
    assert.deepEqual((await create(world, 'one')).body, first.body);
    assert.equal(await total(world), 2);
  });

  test('the same key with another body or path is refused; another account is another key', async () => {
    const world = await openSimulatedWorld({ database: open });
    const branch = await world.subaccount();
    const first = await create(world, 'one');
    const other = await create(world, 'one', { ...valid, alias: 'b' });
    assert.equal(other.status, 409);
    assert.match(other.body.error, /Idempotency-Key/);
    const elsewhere = await world.call('POST', `Endpoint/${first.body.endpoint_id}/`, {
      body: valid,
      headers: key('one'),
    });
    assert.equal(elsewhere.status, 409);
    const theirs = await create(world, 'one', valid, branch);
    assert.deepEqual([theirs.status, theirs.headers['idempotency-replayed']], [201, undefined]);
    assert.equal(await total(world), 2);
  });

  test('a key is good for 24 hours', async () => {
    const world = await openSimulatedWorld({ database: open });
    await create(world, 'one');
    await world.clock.leap(24 * 60 * 60 * 1000 - 1);
    assert.equal((await create(world, 'one')).headers['idempotency-replayed'], 'true');
    await world.advance(1);
    assert.equal((await create(world, 'one')).headers['idempotency-replayed'], undefined);
    assert.equal(await total(world), 2);
  });

  test('a refused request frees its key', async () => {
    const world = await openSimulatedWorld({ database: open });
    const branch = await world.subaccount();
    const application = { app_name: 'ivr', answer_url: 'https://example.com/' };
    const { app_id } = (await world.call('POST', 'Application/', { body: application })).body;
    const taking = { ...valid, app_id };
    assert.equal((await create(world, 'one', taking, branch)).status, 400);
    await world.call('POST', `Application/${app_id}/`, { body: { subaccount: branch.authId } });
    assert.equal((await create(world, 'one', taking, branch)).status, 201);
  });

  test('keys that are no visible ASCII of 1 to 255 characters are refused', async () => {
    const world = await openSimulatedWorld({ database: open });
    for (const value of ['', ' ', 'a b', 'ü', 'x'.repeat(256)]) {
      assert.equal((await create(world, value)).status, 400, value);
    }
    assert.equal((await create(world, 'x'.repeat(255))).status, 201);
    assert.equal(await total(world), 1);
  });

  test('requests at the same time wait for the first and get its answer', async () => {
    const { features, outcomes, begun } = slowRoute();
    const world = await openShell(open, { features });
    const running = begun();
    const send = (body: object) => world.call('POST', 'Slow/', body, key('one'));
    const [one, two] = [send({}), send({})];
    await running;
    assert.equal((await send({ other: 1 })).status, 409);
    outcomes[0]!.resolve('made');
    assert.deepEqual((await one).body, (await two).body);
    assert.equal(outcomes.length, 1);
  });

  test('a request whose outcome is unknown is not repeated: the client is asked to read the resource', async () => {
    const { features, outcomes, begun } = slowRoute();
    const world = await openShell(open, { features });
    const running = begun();
    const send = (on: Shell) =>
      on.app.inject({
        method: 'POST',
        url: `/v1/Account/${main.authId}/Slow/`,
        headers: { ...key('one'), authorization: basic(main) },
      });
    const failing = send(world);
    await running;
    outcomes[0]!.reject(new Error('cut off'));
    assert.equal((await failing).statusCode, 500);
    const again = await world.restart();
    const answer = await send(again);
    assert.equal(answer.statusCode, 409);
    assert.match(answer.json().error, /cut off/);
    assert.equal(outcomes.length, 1);
  });

  for (const [refused, what] of [
    [0, 'the write of a request'],
    [1, 'the write of a request and the release of its key'],
    [2, 'the write of a request, the release of its key and the next request'],
  ] as const) {
    test(`a database that refuses ${what} frees the key, and the repetition is carried out once`, async () => {
      const { features, outcomes, begun } = slowRoute();
      let commits: FailingCommits | undefined;
      const openFailing = async (...of: Parameters<typeof open>) => {
        commits = createFailingCommits(await open(...of));
        return commits.database;
      };
      const { again, beforeClose } = open;
      const world = await openShell(Object.assign(openFailing, { again, beforeClose }), { features });
      const send = () => world.call('POST', 'Slow/', {}, key('one'));
      const running = begun();
      const first = send();
      await running;
      commits?.fail(refused, { error: databaseUnavailable });
      outcomes[0]!.reject(databaseUnavailable);
      assert.deepEqual([(await first).status, (await first).body.error_code], [503, 'unavailable']);
      if (refused === 2) assert.equal((await send()).status, 503);
      const begunAgain = begun();
      const second = send();
      await Promise.race([begunAgain, second]);
      outcomes[1]?.resolve('made');
      assert.deepEqual(
        [(await second).status, (await second).headers['idempotency-replayed']],
        [201, undefined],
      );
      assert.deepEqual((await send()).body, (await second).body);
      assert.equal(outcomes.length, 2);
    });
  }

  test('a write that may have been made keeps the key: the repetition is not carried out', async () => {
    const { features, outcomes, begun } = slowRoute();
    const world = await openShell(open, { features });
    const running = begun();
    const send = () => world.call('POST', 'Slow/', {}, key('one'));
    const first = send();
    await running;
    outcomes[0]!.reject(
      Object.assign(new Error('no answer'), { code: 'database-unavailable', isOutcomeUnknown: true }),
    );
    assert.equal((await first).status, 503);
    const again = await send();
    assert.deepEqual([again.status, again.body.error_code], [409, 'idempotency-outcome-unknown']);
    assert.equal(outcomes.length, 1);
  });

  test('a kept answer with a token is sealed', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { body } = await world.call('POST', 'Subaccount/', { body: { name: 'x' }, headers: key('one') });
    const rows = await world.node.database.read
      .withTables<{ idempotency_records: Record<string, unknown> }>()
      .selectFrom('idempotency_records')
      .selectAll()
      .execute();
    assert.equal(rows.length, 1);
    assert.ok(!JSON.stringify(rows).includes(body.auth_token));
    const again = await world.call('POST', 'Subaccount/', { body: { name: 'x' }, headers: key('one') });
    assert.deepEqual(again.body, body);
  });
});
