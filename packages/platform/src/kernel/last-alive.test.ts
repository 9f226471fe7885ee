import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@jackfield/ports';
import { createRecordingLog, createVirtualClock, eachDatabase, type OpenDatabase } from '@jackfield/testkit';
import { createLastAlive, lastAliveMigrations } from './last-alive.ts';
import { createOutbox, outboxMigrations } from './outbox.ts';

const migrations = [...outboxMigrations, ...lastAliveMigrations];

function processOn(database: Database, startAt: number) {
  const clock = createVirtualClock({ startAt });
  return { clock, alive: createLastAlive({ database, clock, log: createRecordingLog() }) };
}

function rules(open: OpenDatabase): void {
  test('a process with billed sessions is known alive until at most five seconds before its death', async () => {
    const database = await open(migrations);
    const { clock, alive } = processOn(database, 1_000);
    assert.equal((await alive.diedAt())(0), 0, 'no process has run here');
    alive.enter();
    alive.enter();
    await clock.advance(12_000);
    alive.leave();
    await clock.advance(6_000);
    await alive.close();
    const next = processOn(database, 3_600_000);
    assert.equal((await next.alive.diedAt())(1_000), 16_000);
  });

  test('a process without billed sessions writes nothing and runs no timer', async () => {
    const database = await open(migrations);
    const { clock, alive } = processOn(database, 1_000);
    alive.enter();
    await clock.advance(5_000);
    alive.leave();
    assert.equal(clock.pending, 0);
    await clock.advance(60_000);
    await alive.close();
    assert.equal((await alive.diedAt())(1_000), 6_000);
  });

  test('an event that was written shows that its process was alive', async () => {
    const database = await open(migrations);
    const { clock, alive } = processOn(database, 1_000);
    const outbox = createOutbox({ database, clock, log: createRecordingLog(), newEventId: () => 'e' });
    alive.enter();
    await clock.advance(5_000);
    await clock.advance(3_000);
    const event = { type: 't', account: 'MA1', mainAccount: 'MA1', resource: 'r', payload: {} };
    await database.transact((write) => outbox.appendEvents(write, [event]));
    await alive.close();
    assert.equal((await processOn(database, 90_000).alive.diedAt())(1_000), 9_000);
  });

  for (const stepMs of [86_400_000, -3_600_000]) {
    test(`sessions from before and after a clock step of ${stepMs} ms each died in their own time`, async () => {
      const database = await open(migrations);
      const startAt = 7_200_000;
      const { clock, alive } = processOn(database, startAt);
      alive.enter();
      await clock.advance(10_000);
      clock.stepWall(stepMs);
      await clock.advance(10_000);
      await alive.close();
      const diedAt = await processOn(database, startAt).alive.diedAt();
      assert.equal(diedAt(startAt), startAt + 20_000);
      assert.equal(diedAt(startAt + stepMs + 15_000), startAt + stepMs + 20_000);
    });
  }
}

eachDatabase('when a process was last alive', rules);
