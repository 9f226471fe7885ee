import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecordingLog, createVirtualClock, eachDatabase } from '@jackfield/testkit';
import { appendLane } from './append-alone.ts';
import type { OutboxEvent } from './kernel-effects.ts';
import { createRareEvents, type RareEventsDeps } from './rare-events.ts';

eachDatabase('Rare events', (open) => {
  async function start(limits: Pick<RareEventsDeps, 'most' | 'everyMs' | 'remembered'> = {}) {
    const clock = createVirtualClock();
    const database = await open([]);
    const log = createRecordingLog();
    const events: OutboxEvent[] = [];
    let isBroken = false;
    const outbox = {
      appendEvents: async (_write: unknown, given: readonly OutboxEvent[]) => {
        if (isBroken) throw new Error('disk full');
        events.push(...given);
      },
      wake() {},
    };
    const report = createRareEvents({ database, clock, log, outbox, ...limits });
    return {
      clock,
      log,
      breakOutbox: () => (isBroken = true),
      happens: (kind: string) => report(kind, (times) => eventOf(kind, times)),
      report,
      /** Kind and count of all events so far. */
      async reported() {
        // Transactions of one lane run one after another: this one runs behind those of the events.
        await database.transact(async () => {}, { isolation: 'read-committed', key: appendLane });
        return events.map(({ resource, payload }) => `${resource} ${payload.times}`);
      },
    };
  }

  const eventOf = (kind: string, times: number): OutboxEvent => ({
    type: 'test.happened',
    account: 'MA1',
    mainAccount: 'MA1',
    resource: kind,
    payload: { times },
  });

  test('the first event of a kind is reported at once; those of the next minute are counted into the next report', async () => {
    const world = await start();
    for (let count = 0; count < 5; count++) world.happens('a');
    world.happens('b');
    await world.clock.advance(59_999);
    world.happens('a');
    assert.deepEqual(await world.reported(), ['a 1', 'b 1']);
    await world.clock.advance(1);
    world.happens('a');
    world.happens('b');
    assert.deepEqual(await world.reported(), ['a 1', 'b 1', 'a 6', 'b 1']);
  });

  test('events beyond the number allowed a minute are counted', async () => {
    const world = await start({ most: 2, everyMs: 1_000 });
    for (let count = 0; count < 5; count++) world.happens('a');
    await world.clock.advance(1_000);
    world.happens('a');
    assert.deepEqual(await world.reported(), ['a 1', 'a 1', 'a 4']);
  });

  test('an occurrence without an event yet is counted into the first event', async () => {
    const world = await start();
    world.report('a', () => undefined);
    world.report('a', () => undefined);
    world.happens('a');
    assert.deepEqual(await world.reported(), ['a 3']);
  });

  test('a new kind beyond the limit displaces the oldest; a known kind displaces none', async () => {
    const world = await start({ remembered: 2 });
    for (const kind of ['a', 'b', 'b', 'c', 'a']) world.happens(kind);
    assert.deepEqual(await world.reported(), ['a 1', 'b 1', 'c 1', 'a 1']);
    await world.clock.advance(60_000);
    world.happens('a');
    world.happens('c');
    world.happens('a');
    assert.deepEqual((await world.reported()).slice(4), ['a 1', 'c 1']);
  });

  test('an event that cannot be written is logged and loses nothing else', async () => {
    const world = await start();
    world.breakOutbox();
    world.happens('a');
    assert.deepEqual(await world.reported(), []);
    assert.deepEqual(
      world.log.lines.map(({ sentence }) => sentence),
      ['event not recorded'],
    );
  });
});
