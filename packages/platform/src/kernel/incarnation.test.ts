import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Database, Migration } from '@jackfield/ports';
import {
  createFailingCommits,
  createRecordingLog,
  createVirtualClock,
  eachDatabase,
  type OpenDatabase,
} from '@jackfield/testkit';
import { sql } from 'kysely';
import { createIncarnation, type DiedAt, type Incarnation, incarnationMigrations } from './incarnation.ts';
import { createOutbox, outboxMigrations } from './outbox.ts';

const migrations = [...outboxMigrations, ...incarnationMigrations];

/** When the incarnation that this one has ended died; each process of these tests ends one. */
async function diedAt({ begin, settled }: Pick<Incarnation, 'begin' | 'settled'>): Promise<DiedAt> {
  const [ended, ...others] = await begin();
  assert.deepEqual(others, []);
  await settled(ended!);
  return ended!.diedAt;
}

const secrets = createSecrets(new Uint8Array(32).fill(7));

function processOn(database: Database, startAt: number, node = '') {
  const clock = createVirtualClock({ startAt });
  const log = createRecordingLog();
  return { clock, log, alive: createIncarnation({ database, clock, log, secrets, node }) };
}

function rules(open: OpenDatabase): void {
  test('a process with billed sessions is known alive until at most five seconds before its death', async () => {
    const database = await open(migrations);
    const { clock, alive } = processOn(database, 1_000);
    assert.equal((await diedAt(alive))(0), 0, 'no process has run here');
    alive.enter();
    alive.enter();
    await clock.advance(12_000);
    alive.leave();
    await clock.advance(6_000);
    await alive.close();
    const next = processOn(database, 3_600_000);
    assert.equal((await diedAt(next.alive))(1_000), 16_000);
  });

  test('a process without billed sessions writes nothing and runs no timer', async () => {
    const database = await open(migrations);
    const { clock, alive } = processOn(database, 1_000);
    await diedAt(alive);
    alive.enter();
    await clock.advance(5_000);
    alive.leave();
    assert.equal(clock.pending, 0);
    await clock.advance(60_000);
    await alive.close();
    assert.equal((await diedAt(processOn(database, 90_000).alive))(1_000), 6_000);
  });

  test('an event that was written shows that its process was alive', async () => {
    const database = await open(migrations);
    const { clock, alive } = processOn(database, 1_000);
    await diedAt(alive);
    const outbox = createOutbox({ database, clock, log: createRecordingLog(), newEventId: () => 'e' });
    alive.enter();
    await clock.advance(5_000);
    await clock.advance(3_000);
    const event = { type: 't', account: 'MA1', mainAccount: 'MA1', resource: 'r', payload: {} };
    await database.transact((write) => outbox.appendEvents(write, [event]));
    await alive.close();
    assert.equal((await diedAt(processOn(database, 90_000).alive))(1_000), 9_000);
  });

  for (const stepMs of [86_400_000, -3_600_000]) {
    test(`sessions from before and after a clock step of ${stepMs} ms each died in their own time`, async () => {
      const database = await open(migrations);
      const startAt = 7_200_000;
      const { clock, alive } = processOn(database, startAt);
      await diedAt(alive);
      alive.enter();
      await clock.advance(10_000);
      clock.stepWall(stepMs);
      await clock.advance(10_000);
      await alive.close();
      const died = await diedAt(processOn(database, startAt).alive);
      assert.equal(died(startAt), startAt + 20_000);
      assert.equal(died(startAt + stepMs + 15_000), startAt + stepMs + 20_000);
    });
  }
}

eachDatabase('when a process was last alive', rules);

eachDatabase('incarnations', (open) => {
  test('an incarnation ends those before it, once; an incarnation that dies while it settles them leaves them to the next', async () => {
    const database = await open(migrations);
    const [first, second, third, fourth] = [1, 2, 3, 4].map((at) => processOn(database, at * 1_000).alive);
    const [before] = await first!.begin();
    assert.equal(before?.number, 0);
    await first!.settled(before!);
    const [ended] = await second!.begin();
    assert.deepEqual([ended?.number, ended?.token], [first!.number, first!.token]);
    // Killed before it has settled the first.
    assert.deepEqual(
      (await third!.begin()).map(({ number }) => number),
      [first!.number, second!.number],
    );
    await third!.settled(ended!);
    assert.deepEqual(
      (await fourth!.begin()).map(({ number }) => number),
      [second!.number, third!.number],
    );
  });

  test('incarnations of stopped nodes go to one of the processes that start next, also before they are settled', async () => {
    const database = Object.assign(Object.create(await open(migrations)) as Database, { isShared: true });
    const begun = async (node: string, at: number) => {
      const { alive } = processOn(database, at, node);
      const ended = await alive.begin();
      await alive.close();
      return { alive, numbers: ended.map(({ number }) => number) };
    };
    const [a, b] = [await begun('a', 1_000), await begun('b', 2_000)];
    await a.alive.end();
    await b.alive.end();
    const next = await begun('b', 3_000);
    assert.deepEqual(next.numbers.slice(-2), [a.alive.number, b.alive.number]);
    assert.deepEqual((await begun('a', 4_000)).numbers, []);
    // Killed before it has settled them.
    const last = await begun('b', 5_000);
    assert.deepEqual(last.numbers.slice(-3), [a.alive.number, b.alive.number, next.alive.number]);
  });

  test('an ended incarnation whose successor runs has no other successor, whatever another node knows', async () => {
    const database = Object.assign(Object.create(await open(migrations)) as Database, { isShared: true });
    const [a, b, next] = ['a', 'b', 'a'].map((node, at) => processOn(database, (at + 1) * 1_000, node).alive);
    await a!.begin();
    await b!.begin();
    await a!.end();
    await next!.begin();
    const left = { incarnation: a!.number, seen: { endedBy: next!.number } };
    assert.equal(await b!.succeed(left), undefined);
    await next!.end();
    assert.equal((await b!.succeed(left))?.number, a!.number);
    // A takeover that has failed is repeated.
    const repeated = await b!.succeed({ ...left, seen: { endedBy: b!.number } });
    assert.equal(repeated?.number, a!.number);
    for (const each of [a, b, next]) await each!.close();
  });

  test('a database of an earlier release keeps the time at which its process was last alive', async () => {
    const isOld = ({ name }: Migration) => name < 'kernel/0007';
    const database = await open(migrations.filter(isOld));
    await database.transact((write) => sql`INSERT INTO last_alive VALUES (1, 70000, 60000)`.execute(write));
    await database.migrate(migrations);
    const died = await diedAt(processOn(database, 90_000).alive);
    assert.deepEqual([died(50_000), died(65_000)], [60_000, 70_000]);
  });

  test('on a shared database an incarnation counts every two seconds, billed or not, until it is closed', async () => {
    const database = Object.assign(Object.create(await open(migrations)) as Database, { isShared: true });
    const { clock, alive } = processOn(database, 1_000);
    await alive.begin();
    const read = async () => {
      const { rows } = await sql<{ beat: number; alive_at: number }>`
        SELECT beat, alive_at FROM incarnations WHERE incarnation = ${alive.number}`.execute(database.read);
      return [Number(rows[0]!.beat), Number(rows[0]!.alive_at)];
    };
    assert.deepEqual(await read(), [0, 1_000]);
    for (let beat = 1; beat <= 3; beat++) {
      await clock.advance(2_000);
      while ((await read())[0] !== beat) await new Promise((resolve) => setImmediate(resolve));
      assert.equal((await read())[1], 1_000 + 2_000 * beat);
    }
    await alive.close();
    assert.equal(clock.pending, 0);
  });

  test('a heartbeat that could not be saved is repeated after half a second, and warned of once', async () => {
    const shared = Object.assign(Object.create(await open(migrations)) as Database, { isShared: true });
    const { database, fail } = createFailingCommits(shared);
    const { clock, alive, log } = processOn(database, 1_000);
    await alive.begin();
    const heartbeat = new Promise<number>((resolve) => alive.onHeartbeat(() => resolve(clock.now())));
    fail(3);
    for (let step = 0; step < 4; step++) {
      await clock.advance(step === 0 ? 2_000 : 500);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(await heartbeat, 1_000 + 3_500);
    assert.equal(log.lines.filter(({ sentence }) => sentence.includes('sign of life')).length, 1);
    await alive.close();
    assert.equal(clock.pending, 0);
  });
});
