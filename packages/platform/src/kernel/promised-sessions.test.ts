import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Migration } from '@jackfield/ports';
import {
  createFailingCommits,
  createRecordingLog,
  createVirtualClock,
  databaseUnavailable,
  onEmbeddedDatabase,
} from '@jackfield/testkit';
import { createSessionRunner } from './create-session-runner.ts';

const tables: Migration = { name: 'test/0001', sql: 'CREATE TABLE counters (id TEXT PRIMARY KEY)' };

onEmbeddedDatabase('Sessions that were promised', (open) => {
  async function newWorld() {
    const { database, fail } = createFailingCommits(await open([tables]));
    const clock = createVirtualClock({ settle: () => runner.idle() });
    const runner = createSessionRunner({
      database,
      clock,
      log: createRecordingLog(),
      appendEvents: async () => {},
    });
    const counters = runner.define<number, number, never>({
      name: 'counter',
      machine: { step: (total, by) => ({ state: total + Number(by), effects: [] }) },
      save: async () => {},
      perform() {},
      isEnded: () => false,
    });
    return { fail, clock, runner, counters };
  }

  test('A promised session opens when the database is back, with the inputs that arrived behind it', async () => {
    const { fail, clock, runner, counters } = await newWorld();
    fail(200, { error: databaseUnavailable });
    const opening = counters.open('a', 0, 1, { isPromised: true });
    counters.send('a', 10);
    await runner.idle();
    for (let second = 0; second < 199; second++) await clock.advance(1_000);
    assert.equal(counters.peek('a'), undefined);
    await clock.advance(1_000);
    await runner.idle();
    await opening;
    assert.equal(counters.peek('a'), 11);
    assert.equal(clock.pending, 0);
  });

  test('A promised session that the database refuses for another reason does not exist', async () => {
    const { fail, clock, runner, counters } = await newWorld();
    fail(1, { error: databaseUnavailable });
    const refused = assert.rejects(counters.open('a', 0, 1, { isPromised: true }), /no such account/);
    await runner.idle();
    fail(1, { error: new Error('no such account') });
    await clock.advance(1_000);
    await refused;
    assert.deepEqual(runner.census().counter, { sessions: 0, timers: 0, queued: 0, dropped: 0 });
    assert.equal(clock.pending, 0);
  });
});
