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

eachDatabase('the successor of a node that was killed', (open) => {
  test('ends it after four seconds of silence when only the repetition of a question finds no receiver', async () => {
    const settling = createSettling();
    const opened = await open([...outboxMigrations, ...incarnationMigrations]);
    const database: Database = Object.defineProperty(settling.database(opened), 'isShared', { value: true });
    const virtual = createVirtualClock({ settle: settling.settle });
    const clock = { ...virtual, ...settling.clock(virtual) };
    const log = createRecordingLog();
    const node = (name: string) =>
      createIncarnation({ database, clock, log, secrets: secrets(), node: name });
    const killed = createIncarnation({
      database,
      clock: createVirtualClock(),
      log,
      secrets: secrets(),
      node: 'killed',
    });
    await killed.begin();
    const incarnation = node('successor');
    await incarnation.begin();
    const buses = createMemoryBuses(clock);
    const ofKilled = createNodeMessages({ bus: buses.join(killed.token), clock, log });
    ofKilled.serve('alive', async () => new Uint8Array());
    const bus = withLateFirstAttempts(buses.join(incarnation.token));
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
        assert.equal(number, killed.number);
        endedAt.push(clock.now() - from);
      },
    });
    await clock.advance(3_000);
    await ofKilled.close();
    await clock.advance(6_000);
    assert.equal(endedAt.length, 1);
    assert.ok(endedAt[0]! <= 7_000, String(endedAt));
    await successor.close();
    await messages.close();
    await incarnation.close();
  });
});
