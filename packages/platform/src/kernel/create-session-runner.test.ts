import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Database, Machine, Migration, Read, TimerFired } from '@jackfield/ports';
import { createRecordingLog, createVirtualClock, eachDatabase, type OpenDatabase } from '@jackfield/testkit';
import type { Kysely } from 'kysely';
import { createSessionRunner } from './create-session-runner.ts';
import type { KernelEffect, OutboxEvent } from './kernel-effects.ts';
import { createOutbox, outboxMigrations } from './outbox.ts';
import type { SessionKind, SessionRunner, Sessions } from './session-runner.ts';
import { whenOver } from './sessions-over.ts';

/** A counter: the smallest machine that shows every rule of its driver. */
interface Counter {
  readonly total: number;
  readonly ended: boolean;
}

type CounterInput =
  | { readonly type: 'add'; readonly by: number }
  | { readonly type: 'look' }
  | { readonly type: 'order'; readonly effects: readonly CounterEffect[] }
  | { readonly type: 'throw' }
  | { readonly type: 'end' };

type CounterEffect = KernelEffect<OutboxEvent, number> | { readonly do: 'report'; readonly what: string };

const event = (total: number): OutboxEvent => ({
  type: 'counted',
  account: 'MA000000000000000000',
  mainAccount: 'MA000000000000000000',
  resource: 'counter',
  payload: { total },
  callback: { url: 'https://x.example/', method: 'POST' },
});

const machine: Machine<Counter, CounterInput | TimerFired, CounterEffect> = {
  step(state, input) {
    switch (input.type) {
      case 'add': {
        const total = state.total + input.by;
        return {
          state: { ...state, total },
          effects: [
            { do: 'emit', event: event(total) },
            { do: 'report', what: `total ${total}` },
            { do: 'reply', reply: total },
          ],
        };
      }
      case 'look':
        return {
          state,
          effects: [
            { do: 'report', what: `saw ${state.total}` },
            { do: 'reply', reply: state.total },
          ],
        };
      case 'order':
        return { state, effects: input.effects };
      case 'timer-fired':
        return { state, effects: [{ do: 'report', what: `timer ${input.key}` }] };
      case 'end':
        return { state: { ...state, ended: true }, effects: [{ do: 'report', what: 'ended' }] };
      case 'throw':
        throw new Error('a bug');
    }
  },
};

const tables: Migration = {
  name: 'test/0001',
  sql: 'CREATE TABLE counters (id TEXT PRIMARY KEY, total BIGINT NOT NULL); CREATE TABLE events (type TEXT NOT NULL, total BIGINT NOT NULL)',
};

type Tables = { counters: { id: string; total: number }; events: { type: string; total: number } };
const of = (read: Read): Kysely<Tables> => read.withTables<Tables>() as unknown as Kysely<Tables>;

interface World {
  readonly database: Database;
  readonly runner: SessionRunner;
  readonly counters: Sessions<Counter, CounterInput>;
  readonly reports: string[];
  readonly log: ReturnType<typeof createRecordingLog>;
  readonly clock: ReturnType<typeof createVirtualClock>;
  /** Set to make saving fail. */
  failing: Error | undefined;
  /** How many transactions were asked for. */
  transactions: number;
  onReport: (id: string, what: string) => void;
}

function worldOn(
  database: Database,
  kind: Partial<SessionKind<Counter, CounterInput, CounterEffect>> = {},
): World {
  const log = createRecordingLog();
  const clock = createVirtualClock({ settle: () => runner.idle() });
  const counting: Database = {
    ...database,
    transact(work) {
      world.transactions++;
      return database.transact(work);
    },
  };
  const runner = createSessionRunner({
    database: counting,
    clock,
    log,
    async appendEvents(write, events) {
      const rows = events.map(({ type, payload }) => ({ type, total: Number(payload.total) }));
      await of(write).insertInto('events').values(rows).execute();
    },
  });
  const reports: string[] = [];
  const counters = runner.define<Counter, CounterInput, CounterEffect>({
    name: 'counter',
    machine,
    async save(write, id, before, after) {
      if (before === undefined)
        await of(write).insertInto('counters').values({ id, total: after.total }).execute();
      else await of(write).updateTable('counters').set({ total: after.total }).where('id', '=', id).execute();
      if (world.failing !== undefined) throw world.failing;
    },
    perform(id, effect) {
      if (effect.do !== 'report') return;
      reports.push(effect.what);
      world.onReport(id, effect.what);
    },
    isEnded: (state) => state.ended,
    ...kind,
  });
  const world: World = {
    database,
    runner,
    counters,
    reports,
    log,
    clock,
    failing: undefined,
    transactions: 0,
    onReport: () => {},
  };
  return world;
}

const fresh: Counter = { total: 0, ended: false };
const add = (by: number): CounterInput => ({ type: 'add', by });
const order = (...effects: readonly CounterEffect[]): CounterInput => ({ type: 'order', effects });
const look: CounterInput = { type: 'look' };

const worldsOf =
  (open: OpenDatabase) => async (kind?: Partial<SessionKind<Counter, CounterInput, CounterEffect>>) =>
    worldOn(await open([tables]), kind);

function rules(open: OpenDatabase): void {
  stepRules(open);
  saveRules(open);
  turnRules(open);
}

function stepRules(open: OpenDatabase): void {
  const newWorld = worldsOf(open);

  test('a step is saved with its events in one transaction, then its effects are carried out', async () => {
    const world = await newWorld();
    let seenByEffect: unknown;
    const effectDone = new Promise<void>((resolve) => {
      world.onReport = () => {
        of(world.database.read)
          .selectFrom('counters')
          .selectAll()
          .execute()
          .then((rows) => {
            seenByEffect = rows;
            resolve();
          });
      };
    });
    assert.equal(await world.counters.open<number>('a', fresh, add(2)), 2);
    assert.equal(world.transactions, 1);
    await effectDone;
    assert.deepEqual(seenByEffect, [{ id: 'a', total: 2 }]);
    assert.deepEqual(await of(world.database.read).selectFrom('events').selectAll().execute(), [
      { type: 'counted', total: 2 },
    ]);
    assert.deepEqual(world.counters.peek('a'), { total: 2, ended: false });
  });

  test('a step shows no state and carries out no effect before its commit', async () => {
    const world = await newWorld();
    const opening = world.counters.open('a', fresh, add(1));
    assert.equal(world.counters.peek('a'), undefined);
    assert.deepEqual(world.reports, []);
    await opening;
    world.counters.send('a', add(1));
    assert.equal(world.counters.peek('a')?.total, 1);
    await world.runner.idle();
    assert.equal(world.counters.peek('a')?.total, 2);
  });

  test('a step that returns the same state and emits nothing touches no database, and its effects run at once', async () => {
    const world = await newWorld();
    await world.counters.open('a', fresh, add(1));
    const { transactions } = world;
    world.counters.send('a', look);
    assert.deepEqual(world.reports, ['total 1', 'saw 1']);
    assert.equal(world.transactions, transactions);
  });

  test('a change that is no part of the record writes nothing, and its effects run at once', async () => {
    const world = await newWorld({ isRecorded: (before, after) => before.total !== after.total });
    await world.counters.open('a', { total: 7, ended: false }, look);
    const { transactions } = world;
    world.counters.send('a', { type: 'end' });
    assert.deepEqual(world.reports, ['saw 7', 'ended']);
    assert.equal(world.counters.peek('a'), undefined);
    assert.equal(world.transactions, transactions);
  });

  test('inputs that arrive while a commit is pending wait for it, in order', async () => {
    const world = await newWorld();
    await world.counters.open('a', fresh, add(1));
    world.counters.send('a', add(1));
    world.counters.send('a', look);
    world.counters.send('a', add(5));
    const asked = world.counters.ask<number>('a', look);
    assert.deepEqual(world.reports, ['total 1']);
    assert.equal(await asked, 7);
    assert.deepEqual(world.reports, ['total 1', 'total 2', 'saw 2', 'total 7', 'saw 7']);
  });
}

function saveRules(open: OpenDatabase): void {
  const newWorld = worldsOf(open);

  test('a save that fails undoes the step and fails its input; the session lives on', async () => {
    const world = await newWorld();
    await world.counters.open('a', fresh, add(1));
    world.failing = new Error('no space left');
    const refused = world.counters.ask('a', add(10));
    const afterwards = world.counters.ask<number>('a', look);
    await assert.rejects(refused, /no space left/);
    assert.equal(await afterwards, 1);
    world.failing = undefined;
    assert.equal(await world.counters.ask<number>('a', add(10)), 11);
    assert.deepEqual(world.reports, ['total 1', 'saw 1', 'total 11']);
    assert.deepEqual(
      (await of(world.database.read).selectFrom('events').select('total').execute()).map(
        ({ total }) => total,
      ),
      [1, 11],
    );
    assert.deepEqual(
      world.log.lines.map(({ sentence }) => sentence),
      ['step not saved; it was undone'],
    );
  });

  test('an input that was sent stays first in its mailbox until its step can be saved, and keeps the time of its arrival', async () => {
    const times: number[] = [];
    const noted = (now: number) => void times.push(now);
    const world = await newWorld({ machine: { step: (...of) => noted(of[2]) ?? machine.step(...of) } });
    await world.counters.open('a', fresh, add(1));
    world.failing = new Error('the disk is full');
    world.counters.send('a', add(10));
    await world.clock.advance(500);
    world.counters.send('a', add(100));
    await world.clock.advance(2_500);
    assert.equal(world.counters.peek('a')?.total, 1);
    assert.equal(world.runner.census().counter?.queued, 2);
    world.failing = undefined;
    await world.clock.advance(1_000);
    await world.runner.idle();
    assert.deepEqual(world.reports, ['total 1', 'total 11', 'total 111']);
    assert.deepEqual([...new Set(times.map((at) => at - times[0]!))], [0, 500]);
    assert.equal(world.clock.pending, 0);
  });

  test('an input that cannot be saved for a minute is dropped, and does not block later inputs', async () => {
    const world = await newWorld();
    await world.counters.open('a', fresh, add(1));
    world.failing = new Error('the disk is full');
    world.counters.send('a', add(10));
    world.counters.send('a', look);
    await world.runner.idle();
    for (let second = 0; second < 60; second++) await world.clock.advance(1_000);
    assert.deepEqual(world.reports, ['total 1', 'saw 1']);
    assert.equal(world.clock.pending, 0);
  });

  test('an input waits for an unreachable database, however long that lasts', async () => {
    const world = await newWorld();
    await world.counters.open('a', fresh, add(1));
    world.failing = Object.assign(new Error('nobody listens'), { code: 'database-unavailable' });
    world.counters.send('a', add(10));
    await world.runner.idle();
    for (let second = 0; second < 200; second++) await world.clock.advance(1_000);
    assert.deepEqual(world.reports, ['total 1']);
    world.failing = undefined;
    await world.clock.advance(1_000);
    await world.runner.idle();
    assert.deepEqual(world.reports, ['total 1', 'total 11']);
    assert.equal(world.clock.pending, 0);
  });
}

function turnRules(open: OpenDatabase): void {
  const newWorld = worldsOf(open);

  test('a session whose first save fails does not exist', async () => {
    const world = await newWorld();
    world.failing = new Error('no space left');
    const opening = world.counters.open('a', fresh, add(1));
    const asked = world.counters.ask('a', look);
    await assert.rejects(opening, /no space left/);
    assert.equal(await asked, undefined);
    world.failing = undefined;
    assert.equal(await world.counters.open<number>('a', fresh, add(4)), 4);
    assert.deepEqual(world.runner.census().counter, { sessions: 1, timers: 0, queued: 0, dropped: 1 });
  });

  test('steps of many sessions in one turn are committed together, and a step that fails fails alone', async () => {
    const world = await newWorld({
      async save(write, id, _before, after) {
        await of(write).insertInto('counters').values({ id, total: after.total }).execute();
        if (id === '7') throw new Error('not this one');
      },
    });
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => world.counters.open(`${index}`, fresh, add(index))),
    );
    assert.deepEqual(
      settled.map(({ status }) => status),
      settled.map((_, index) => (index === 7 ? 'rejected' : 'fulfilled')),
    );
    assert.equal((await of(world.database.read).selectFrom('counters').selectAll().execute()).length, 19);
  });

  test('a timer whose step cannot be saved is due again a second later', async () => {
    let shouldSave = false;
    const world = await newWorld({
      machine: {
        step(state, input) {
          if (input.type !== 'timer-fired') return machine.step(state, input, 0);
          return {
            state: { total: state.total + 100, ended: false },
            effects: [{ do: 'report', what: 'saved at last' }],
          };
        },
      },
      async save() {
        if (!shouldSave) throw new Error('no space left');
      },
    });
    world.counters.resume('a', fresh, order({ do: 'start-timer', key: 'k', at: world.clock.now() + 500 }));
    await world.clock.advance(500);
    assert.deepEqual(world.reports, []);
    shouldSave = true;
    await world.clock.advance(1_000);
    assert.deepEqual(world.reports, ['saved at last']);
    assert.equal(world.clock.pending, 0);
  });

  test('a resumed session is not written, and continues from its state', async () => {
    const world = await newWorld();
    await world.counters.open('a', fresh, add(3));
    await world.runner.close();
    const database = await open.again(world.database);
    const next = worldOn(database);
    const rows = await of(database.read).selectFrom('counters').selectAll().execute();
    for (const { id, total } of rows) next.counters.resume(id, { total, ended: false }, look);
    assert.equal(next.transactions, 0);
    assert.deepEqual(next.reports, ['saw 3']);
    assert.equal(await next.counters.ask<number>('a', add(1)), 4);
    assert.throws(() => next.counters.resume('a', fresh, look), /alive already/);
  });
}

eachDatabase('the session runner', (open) => {
  rules(open);

  test('events of a step reach the consumer of the outbox as soon as they are committed', async () => {
    const database = await open(outboxMigrations);
    const clock = createVirtualClock();
    const log = createRecordingLog();
    const outbox = createOutbox({ database, clock, log, newEventId: () => 'an-id' });
    const delivered = new Promise<object>((resolve) => {
      outbox.start(async ({ type, payload }) => {
        resolve({ type, payload });
        return 'delivered';
      });
    });
    await outbox.idle();
    const { appendEvents, wake: eventsCommitted } = outbox;
    const runner = createSessionRunner({ database, clock, log, appendEvents, eventsCommitted });
    const counters = runner.define<Counter, CounterInput, CounterEffect>({
      name: 'counter',
      machine,
      perform() {},
      isEnded: () => false,
    });
    assert.equal(await counters.open<number>('a', fresh, add(5)), 5);
    assert.deepEqual(await delivered, { type: 'counted', payload: { total: 5 } });
    await outbox.close();
  });
});

/** For rules without a database: any write fails the test. */
const noDatabase: Database = {
  dialect: 'sqlite',
  read: undefined as unknown as Read,
  transact: () => Promise.reject(new Error('there is no database')),
  isShared: false,
  lanes: 1,
  join() {},
  laneOf: () => 0,
  laneOfUnit: () => 0,
  migrate: async () => {},
  isNew: async () => false,
  isUniqueViolation: () => false,
  close: async () => {},
};

const inMemory = (kind?: Partial<SessionKind<Counter, CounterInput, CounterEffect>>): World =>
  worldOn(noDatabase, kind);

test('a machine that throws loses that input only', async () => {
  const world = inMemory();
  world.counters.resume('a', fresh, look);
  world.counters.send('a', { type: 'throw' });
  await assert.rejects(world.counters.ask('a', { type: 'throw' }), /a bug/);
  assert.equal(await world.counters.ask('a', look), 0);
  assert.equal(world.log.lines.length, 2);
  await assert.rejects(world.counters.open('b', fresh, { type: 'throw' }), /a bug/);
  assert.equal(world.runner.census().counter!.sessions, 1);
});

test('an effect that throws is logged, and the effects behind it are carried out', () => {
  const world = inMemory();
  world.onReport = (_id, what) => {
    if (what === 'bad') throw new Error('broken port');
  };
  world.counters.resume('a', fresh, order({ do: 'report', what: 'bad' }, { do: 'report', what: 'good' }));
  assert.deepEqual(world.reports, ['bad', 'good']);
  assert.equal(world.log.lines[0]?.sentence, 'effect threw while it was carried out');
});

test('a machine that returns no step loses that input only', async () => {
  const world = inMemory({ machine: { step: () => undefined as never } });
  world.counters.resume('a', fresh, look);
  await world.runner.idle();
  assert.equal(world.log.lines.length, 1);
});

test('an ended session leaves memory after its last effects, with its timers; later inputs are dropped and counted', () => {
  const world = inMemory({ save: undefined as never });
  world.counters.resume('a', fresh, order({ do: 'start-timer', key: 'k', at: world.clock.now() + 10 }));
  world.onReport = (id) => world.counters.send(id, look);
  world.counters.send('a', { type: 'end' });
  assert.deepEqual(world.reports, ['ended']);
  assert.equal(world.counters.peek('a'), undefined);
  assert.equal(world.clock.pending, 0);
  assert.deepEqual(world.runner.census().counter, { sessions: 0, timers: 0, queued: 0, dropped: 1 });
});

test('the end of a session is reported once it has left memory, while other sessions are busy and no time passes', async () => {
  const world = inMemory({ save: undefined as never });
  for (const id of ['a', 'b', 'busy']) world.counters.resume(id, fresh, look);
  const keptBusy = Promise.withResolvers<void>();
  const runner = { idle: () => keptBusy.promise };
  let isOver = false;
  const over = whenOver(runner, world.counters, ['a', 'b', 'unknown']).then(() => {
    isOver = true;
  });
  world.counters.send('a', { type: 'end' });
  await setImmediate();
  assert.equal(isOver, false);
  world.counters.send('b', { type: 'end' });
  await over;
  assert.equal(world.clock.pending, 0);
  assert.equal(world.runner.census().counter!.sessions, 1);
});

test('a wait for ends stops when the runner has nothing more to do', async () => {
  const world = inMemory({ save: undefined as never });
  world.counters.resume('a', fresh, look);
  await whenOver(world.runner, world.counters, ['a']);
  assert.equal(world.runner.census().counter!.sessions, 1);
});

test('a machine starts, replaces and cancels timers', async () => {
  const world = inMemory();
  const at = (ms: number) => world.clock.now() + ms;
  world.counters.resume(
    'a',
    fresh,
    order(
      { do: 'start-timer', key: 'x', at: at(10) },
      { do: 'start-timer', key: 'y', at: at(20) },
      { do: 'start-timer', key: 'z', at: at(30) },
      { do: 'start-timer', key: 'x', at: at(40) },
      { do: 'cancel-timer', key: 'y' },
      { do: 'cancel-timer', key: 'never started' },
    ),
  );
  assert.equal(world.runner.census().counter!.timers, 2);
  await world.clock.advance(25);
  assert.deepEqual(world.reports, []);
  await world.clock.advance(100);
  assert.deepEqual(world.reports, ['timer z', 'timer x']);
  assert.equal(world.runner.census().counter!.timers, 0);
});

test('a timer that fired while an input waited, and is cancelled by that input, never reaches the machine', async () => {
  const commit = Promise.withResolvers<void>();
  const clock = createVirtualClock();
  const runner = createSessionRunner({
    database: { ...noDatabase, transact: (work) => commit.promise.then(() => work(undefined as never)) },
    clock,
    log: createRecordingLog(),
    appendEvents: async () => {},
  });
  const reports: string[] = [];
  const counters = runner.define<Counter, CounterInput, CounterEffect>({
    name: 'counter',
    machine,
    perform: (_id, effect) => {
      if (effect.do === 'report') reports.push(effect.what);
    },
    isEnded: () => false,
  });
  const in10 = clock.now() + 10;
  counters.resume(
    'a',
    fresh,
    order({ do: 'start-timer', key: 'x', at: in10 }, { do: 'start-timer', key: 'y', at: in10 }),
  );
  counters.send('a', order({ do: 'emit', event: event(1) }, { do: 'cancel-timer', key: 'x' }));
  await clock.advance(10);
  assert.deepEqual(reports, []);
  assert.deepEqual(runner.census().counter, { sessions: 1, timers: 2, queued: 2, dropped: 0 });
  commit.resolve();
  await runner.idle();
  assert.deepEqual(reports, ['timer y']);
  assert.equal(runner.census().counter!.timers, 0);
});

test('sessions that answer each other for ever block neither the event loop nor the stack', async () => {
  const world = inMemory();
  let steps = 0;
  world.onReport = (id, what) => {
    if (what.startsWith('saw') && ++steps < 100_000) world.counters.send(id === 'a' ? 'b' : 'a', look);
  };
  world.counters.resume('b', fresh, order());
  world.counters.resume('a', fresh, look);
  assert.ok(steps < 100_000, 'gave the event loop a turn');
  await world.runner.idle();
  assert.equal(steps, 100_000);
});

test('an input that perform sends is handled after the effects of the step, not inside them', () => {
  const world = inMemory();
  world.onReport = (id, what) => {
    if (what === 'first') world.counters.send(id, look);
  };
  world.counters.resume('a', fresh, order({ do: 'report', what: 'first' }, { do: 'report', what: 'second' }));
  assert.deepEqual(world.reports, ['first', 'second', 'saw 0']);
});

test('ask resolves with undefined when there is no such session or the step replied nothing', async () => {
  const world = inMemory();
  assert.equal(await world.counters.ask('nobody', look), undefined);
  world.counters.resume('a', fresh, look);
  assert.equal(await world.counters.ask('a', order()), undefined);
  assert.equal(world.runner.census().counter!.dropped, 1);
});

test('a session whose id is alive is not opened again, and no kind is defined twice', async () => {
  const world = inMemory({ machine: { step: (state) => ({ state, effects: [] }) } });
  world.counters.resume('a', fresh, look);
  await assert.rejects(world.counters.open('a', fresh, look), /alive already/);
  assert.throws(
    () => world.runner.define({ name: 'counter', machine, perform() {}, isEnded: () => false }),
    /defined already/,
  );
});

test('a closed runner has no timers and drops inputs', async () => {
  const world = inMemory();
  world.counters.resume('a', fresh, order({ do: 'start-timer', key: 'x', at: world.clock.now() + 10 }));
  await world.runner.close();
  assert.equal(world.clock.pending, 0);
  world.counters.send('a', order({ do: 'start-timer', key: 'y', at: world.clock.now() + 10 }));
  assert.equal(await world.counters.ask('a', look), undefined);
  await assert.rejects(world.counters.open('b', fresh, look), /closed/);
  assert.equal(world.clock.pending, 0);
});
