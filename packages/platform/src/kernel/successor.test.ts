import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import { type Bus, BusError, type Database } from '@jackfield/ports';
import {
  createMemoryBuses,
  createRecordingLog,
  createSettling,
  createVirtualClock,
  eachDatabase,
  type OpenDatabase,
} from '@jackfield/testkit';
import { createIncarnation, incarnationMigrations } from './incarnation.ts';
import { createNodeMessages } from './node-messages.ts';
import { outboxMigrations } from './outbox.ts';
import { createSuccessor } from './successor.ts';

const secrets = () => createSecrets(crypto.getRandomValues(new Uint8Array(32)));

/** On a busy machine the time of the first attempt is over before its process has read the answer. */
function withLateFirstAttempts(bus: Bus): Bus {
  let attempts = 0;
  return {
    ...bus,
    async ask(...request) {
      if (++attempts % 2 === 0) return bus.ask(...request);
      throw new BusError('bus-no-answer', 'the deadline has passed');
    },
  };
}

/** A node that has answered once and then counts no heartbeats, and its possible successor over that one's own bus. */
async function watchOverSilence(open: OpenDatabase, ownBus: (bus: Bus) => Bus) {
  const settling = createSettling();
  const opened = await open([...outboxMigrations, ...incarnationMigrations]);
  const database: Database = Object.defineProperty(settling.database(opened), 'isShared', { value: true });
  const virtual = createVirtualClock({ settle: settling.settle });
  const clock = { ...virtual, ...settling.clock(virtual) };
  const log = createRecordingLog();
  const silent = createIncarnation({
    database,
    clock: createVirtualClock(),
    log,
    secrets: secrets(),
    node: 'silent',
  });
  await silent.begin();
  const incarnation = createIncarnation({ database, clock, log, secrets: secrets(), node: 'successor' });
  await incarnation.begin();
  const buses = createMemoryBuses(clock);
  const ofSilent = createNodeMessages({ bus: buses.join(silent.token), clock, log });
  ofSilent.serve('alive', async () => new Uint8Array());
  const bus = ownBus(buses.join(incarnation.token));
  const messages = createNodeMessages({ bus, clock, log });
  const endedAt: number[] = [];
  const from = clock.now();
  const successor = createSuccessor({
    clock,
    log,
    database,
    metrics: { count() {} },
    incarnation,
    messages,
    endThings: async ({ number }) => {
      assert.equal(number, silent.number);
      endedAt.push(clock.now() - from);
    },
  });
  return {
    clock,
    buses,
    ofSilent,
    endedAt,
    async close() {
      await successor.close();
      await messages.close();
      await incarnation.close();
    },
  };
}

eachDatabase('the successor of a node that counts no heartbeats', (open) => {
  test('ends it after four seconds when only the repetition of a question finds no receiver', async () => {
    const { clock, ofSilent, endedAt, close } = await watchOverSilence(open, withLateFirstAttempts);
    await clock.advance(3_000);
    await ofSilent.close();
    await clock.advance(6_000);
    assert.equal(endedAt.length, 1);
    assert.ok(endedAt[0]! <= 7_000, String(endedAt));
    await close();
  });

  test('waits for ten seconds of silence while it has no connection itself', async () => {
    const { clock, buses, ofSilent, endedAt, close } = await watchOverSilence(open, (bus) => bus);
    await clock.advance(3_000);
    buses.cut();
    await clock.advance(6_000);
    assert.deepEqual(endedAt, []);
    await clock.advance(6_000);
    assert.equal(endedAt.length, 1);
    assert.ok(endedAt[0]! >= 10_000, String(endedAt));
    await ofSilent.close();
    await close();
  });
});
