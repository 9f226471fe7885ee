import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Database } from '@jackfield/ports';
import {
  createFailingCommits,
  createRecordingLog,
  createVirtualClock,
  eachDatabase,
  type OpenDatabase,
} from '@jackfield/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { OutboxEvent } from './kernel-effects.ts';
import { createOutbox, outboxMigrations } from './outbox.ts';
import type { Deliver } from './outbox-consumer.ts';
import { type OutboxLimits, outboxLimits } from './outbox-limits.ts';

const account = 'MA000000000000000000';
const callback = { url: 'https://x.example/', method: 'POST' } as const;
const happened = (resource: string, number: number): OutboxEvent => ({
  type: 'happened',
  account,
  mainAccount: account,
  resource,
  payload: { number },
  callback,
});

function boxOn(database: Database, limits: Partial<OutboxLimits> = {}, startAt = 0, incarnation?: number) {
  const clock = createVirtualClock({ startAt, settle: () => outbox.idle() });
  const log = createRecordingLog();
  const own = incarnation === undefined ? {} : { incarnation };
  const outbox = createOutbox({ database, clock, log, newEventId: () => randomUUID(), limits, ...own });
  return {
    clock,
    log,
    outbox,
    /** One transaction with these events: `resource` and a number. */
    async append(...events: readonly (readonly [resource: string, number: number])[]): Promise<void> {
      await database.transact((write) =>
        outbox.appendEvents(
          write,
          events.map(([resource, number]) => happened(resource, number)),
        ),
      );
      outbox.wake();
      await outbox.idle();
    },
    async rows(): Promise<number> {
      const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM outbox`.execute(database.read);
      return rows[0]!.n;
    },
  };
}

/** Accepts each event unless `refuses` says otherwise, and records it. */
function consumer(refuses: (resource: string, number: unknown, attempts: number) => boolean = () => false) {
  const seen: string[] = [];
  const deliver: Deliver = async ({ resource, payload, attempts }) => {
    const refused = refuses(resource, payload.number, attempts);
    seen.push(`${resource}${payload.number}${refused ? ` refused ${attempts}` : ''}`);
    return refused ? 'retry' : 'delivered';
  };
  return { seen, deliver };
}

const deferred = () => Promise.withResolvers<void>();

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await new Promise((resolve) => setImmediate(resolve));
}

async function inLanes(database: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*) AS n FROM outbox WHERE lane IS NOT NULL`.execute(database.read);
  return Number(rows[0]!.n);
}

async function postponed(database: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*) AS n FROM outbox WHERE attempts = 1`.execute(database.read);
  return Number(rows[0]!.n);
}

function rules(open: OpenDatabase): void {
  commitRules(open);
  retryRules(open);
  restartRules(open);
  retentionRules(open);
  inFlightRules(open);
  takeoverRules(open);
  orderRules(open);
}

function commitRules(open: OpenDatabase): void {
  test('events are delivered once they are committed, numbered by resource', async () => {
    const box = boxOn(await open(outboxMigrations));
    const { seen, deliver } = consumer();
    box.outbox.start(deliver);
    await box.append(['a', 1], ['a', 2], ['b', 1]);
    await box.append(['a', 3]);
    assert.deepEqual(
      seen.filter((each) => each.startsWith('a')),
      ['a1', 'a2', 'a3'],
    );
    assert.deepEqual(
      seen.filter((each) => each.startsWith('b')),
      ['b1'],
    );
    await box.outbox.close();
  });

  test('an event carries what was appended, and an identifier of its own', async () => {
    const box = boxOn(await open(outboxMigrations));
    await box.append(['a', 1]);
    const taken: object[] = [];
    box.outbox.start(async (event) => {
      taken.push({ ...event, eventId: /^[0-9a-f-]{36}$/.test(event.eventId) });
      return 'delivered';
    });
    await box.outbox.idle();
    assert.deepEqual(taken, [
      {
        id: 1,
        eventId: true,
        account,
        mainAccount: account,
        resource: 'a',
        type: 'happened',
        payload: { number: 1 },
        callback,
        createdAt: box.clock.now(),
        attempts: 1,
      },
    ]);
    await box.outbox.close();
  });

  test('events of a transaction that is rolled back never go out', async () => {
    const database = await open(outboxMigrations);
    const box = boxOn(database);
    const { seen, deliver } = consumer();
    box.outbox.start(deliver);
    await assert.rejects(
      database.transact(async (write) => {
        await box.outbox.appendEvents(write, [happened('a', 1)]);
        throw new Error('undone');
      }),
    );
    await box.clock.advance(60_000);
    assert.deepEqual(seen, []);
    await box.outbox.close();
  });

  test('an event whose commit was not announced goes out all the same', async () => {
    const database = await open(outboxMigrations);
    const box = boxOn(database);
    const { seen, deliver } = consumer();
    box.outbox.start(deliver);
    await box.outbox.idle();
    await database.transact((write) => box.outbox.appendEvents(write, [happened('a', 1)]));
    await box.clock.advance(100);
    assert.deepEqual(seen, ['a1']);
    await box.outbox.close();
  });
}

function retryRules(open: OpenDatabase): void {
  test('an event that is refused is retried after pauses that double; later events of its resource wait, other resources do not', async () => {
    const box = boxOn(await open(outboxMigrations), { firstPauseMs: 1_000 });
    const { seen, deliver } = consumer((resource, _number, attempts) => resource === 'a' && attempts < 3);
    box.outbox.start(deliver);
    await box.append(['a', 1], ['a', 2], ['b', 1]);
    assert.deepEqual([...seen].sort(), ['a1 refused 1', 'b1']);
    await box.clock.advance(999);
    assert.equal(seen.length, 2);
    await box.clock.advance(1);
    assert.equal(seen.at(-1), 'a1 refused 2');
    await box.clock.advance(1_999);
    assert.equal(seen.length, 3);
    await box.clock.advance(1);
    assert.deepEqual(seen.slice(3, 5), ['a1', 'a2 refused 1']);
    await box.outbox.close();
  });

  test('an event is abandoned after its last attempt, and later events of its resource go out', async () => {
    const box = boxOn(await open(outboxMigrations), { firstPauseMs: 1_000, attempts: 2 });
    const { seen, deliver } = consumer((_resource, number) => number === 1);
    box.outbox.start(deliver);
    await box.append(['a', 1], ['a', 2]);
    await box.clock.advance(1_000);
    assert.deepEqual(seen, ['a1 refused 1', 'a1 refused 2', 'a2']);
    assert.ok(box.log.lines.some(({ sentence }) => sentence === 'event abandoned after its last attempt'));
    await box.clock.advance(60_000);
    assert.equal(seen.length, 3);
    await box.outbox.close();
  });

  test('a consumer that throws refuses the event', async () => {
    const box = boxOn(await open(outboxMigrations), { firstPauseMs: 1_000 });
    let calls = 0;
    box.outbox.start(async () => {
      if (++calls === 1) throw new Error('broken');
      return 'delivered';
    });
    await box.append(['a', 1]);
    assert.equal(calls, 1);
    await box.clock.advance(1_000);
    assert.equal(calls, 2);
    await box.outbox.close();
  });

  test('the deliveries in flight stay within their limit', async () => {
    const box = boxOn(await open(outboxMigrations), { concurrency: 3 });
    let now = 0;
    let most = 0;
    let delivered = 0;
    box.outbox.start(async () => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now--;
      delivered++;
      return 'delivered';
    });
    await box.append(...Array.from({ length: 20 }, (_, index) => [`r${index}`, 1] as const));
    assert.equal(delivered, 20);
    assert.equal(most, 3);
    await box.outbox.close();
  });
}

function restartRules(open: OpenDatabase): void {
  test('an event that was committed and not delivered when the process died goes out after the restart', async () => {
    const database = await open(outboxMigrations);
    const before = boxOn(database);
    await before.append(['a', 1], ['a', 2]);
    let taken = 0;
    // The process dies in the middle of a delivery, which never answers; nothing is closed.
    before.outbox.start(() => {
      taken++;
      return new Promise(() => {});
    });
    while (taken === 0) await new Promise(setImmediate);

    const after = boxOn(await open.again(database));
    const { seen, deliver } = consumer();
    after.outbox.start(deliver);
    await after.outbox.idle();
    await after.append(['b', 1]);
    assert.deepEqual(seen, ['a1', 'a2', 'b1']);
    await after.outbox.close();
  });

  test('two incarnations deliver each event once, in order', async () => {
    const database = await open(outboxMigrations);
    const [one, other] = [boxOn(database, {}, 0, 1), boxOn(database, {}, 0, 2)];
    const { seen, deliver } = consumer();
    one.outbox.start(deliver);
    other.outbox.start(deliver);
    for (let number = 1; number <= 10; number++) {
      await one.append(['a', number], [`b${number} `, 1]);
      other.outbox.wake();
    }
    await Promise.all([one.outbox.idle(), other.outbox.idle()]);
    await one.clock.advance(5_000);
    await other.clock.advance(5_000);
    assert.equal(seen.length, 20);
    assert.deepEqual(
      seen.filter((each) => each.startsWith('a')),
      Array.from({ length: 10 }, (_, index) => `a${index + 1}`),
    );
    await one.outbox.close();
    await other.outbox.close();
  });
}

function retentionRules(open: OpenDatabase): void {
  test('events without a consumer are kept, up to an age and a number', async () => {
    const database = await open(outboxMigrations);
    const limits = { keepMs: 10_000, keepNumber: 5, pruneEveryMs: 1_000 };
    const box = boxOn(database, limits);
    box.outbox.start();
    await box.outbox.idle();
    await box.append(...Array.from({ length: 8 }, (_, index) => ['a', index] as const));
    assert.equal(await box.rows(), 8);
    await box.clock.advance(1_000);
    assert.equal(await box.rows(), 5);
    await box.clock.advance(10_000);
    assert.equal(await box.rows(), 0);
    await box.append(['b', 1]);
    await box.outbox.close();
    const later = boxOn(database, limits, box.clock.now());
    const { seen, deliver } = consumer();
    later.outbox.start(deliver);
    await later.outbox.idle();
    assert.deepEqual(seen, ['b1']);
    await later.outbox.close();
  });

  test('an outbox with a consumer prunes finished events only', async () => {
    const box = boxOn(await open(outboxMigrations), {
      keepMs: 10_000,
      keepNumber: 1,
      pruneEveryMs: 1_000,
      firstPauseMs: 3_600_000,
    });
    const { deliver } = consumer((resource) => resource === 'stuck');
    box.outbox.start(deliver);
    await box.append(['stuck', 1], ['stuck', 2], ['a', 1], ['a', 2]);
    await box.clock.advance(11_000);
    assert.equal(await box.rows(), 2);
    await box.outbox.close();
  });

  test('an event is delivered again at the time of its consumer, beyond the limit of attempts', async () => {
    const box = boxOn(await open(outboxMigrations), { attempts: 1 });
    const seen: string[] = [];
    box.outbox.start(async ({ payload, attempts }) => {
      seen.push(`${payload.number} at ${box.clock.now()}, attempt ${attempts}`);
      if (seen.length < 3) return { retryAt: box.clock.now() + 700, isAttempt: seen.length === 1 };
      return 'abandoned';
    });
    await box.append(['a', 1], ['a', 2]);
    await box.clock.advance(1400);
    assert.deepEqual(seen, [
      '1 at 0, attempt 1',
      '1 at 700, attempt 2',
      '1 at 1400, attempt 2',
      '2 at 1400, attempt 1',
    ]);
    await box.outbox.close();
  });
}

function inFlightRules(open: OpenDatabase): void {
  test('the next process delivers at once what was in flight, and keeps postponed events', async () => {
    const database = await open(outboxMigrations);
    const gone = boxOn(database);
    const [a, b] = [deferred(), deferred()];
    gone.outbox.start(async ({ resource }) => {
      if (resource === 'b') return { retryAt: 30_000, isAttempt: true };
      a.resolve();
      await b.promise;
      return 'delivered';
    });
    await database.transact((write) =>
      gone.outbox.appendEvents(
        write,
        ['a', 'b'].map((resource) => happened(resource, 1)),
      ),
    );
    gone.outbox.wake();
    await a.promise;
    await until(async () => (await postponed(database)) === 1);

    const seen: unknown[] = [];
    const clock = createVirtualClock({ startAt: 1000, settle: () => next.idle() });
    const next = createOutbox({
      database,
      clock,
      log: createRecordingLog(),
      newEventId: () => randomUUID(),
    });
    next.start(async ({ resource, callback }) => {
      seen.push([resource, clock.now(), callback?.url]);
      return 'delivered';
    });
    await next.idle();
    assert.deepEqual(seen, [['a', 1000, 'https://x.example/']]);
    await clock.advance(29_000);
    assert.deepEqual(seen[1], ['b', 30_000, 'https://x.example/']);
    await next.close();
    b.resolve();
    await gone.outbox.close();
  });

  test('events that were set aside come back when the database was away at their resumption', async () => {
    const { database, fail } = createFailingCommits(await open(outboxMigrations));
    const [clock, log] = [createVirtualClock(), createRecordingLog()];
    const outbox = createOutbox({ database, clock, log, newEventId: () => randomUUID() });
    const { seen, deliver } = consumer();
    let isFull = true;
    outbox.start({ admit: () => (isFull ? 'a host' : undefined), deliver });
    await database.transact((write) => outbox.appendEvents(write, [happened('a', 1)]));
    outbox.wake();
    await until(async () => (await inLanes(database)) === 1);
    isFull = false;
    fail(1);
    const resumed = outbox.resume('a host', 1);
    await until(async () => log.lines.some(({ level }) => level === 'error'));
    await clock.advance(outboxLimits.lookEveryMs);
    assert.equal(await resumed, 1);
    await until(async () => seen.length === 1);
    await outbox.close();
  });
}

function takeoverRules(open: OpenDatabase): void {
  test('an incarnation delivers what it wrote, and nothing of another one before it takes over', async () => {
    const database = await open(outboxMigrations);
    const [gone, next] = [boxOn(database, {}, 0, 1), boxOn(database, {}, 0, 2)];
    const inFlight = deferred();
    // It sets `aside` aside, postpones `later`, and dies while it delivers `a`.
    gone.outbox.start({
      admit: ({ resource }) => (resource === 'aside' ? 'a lane' : undefined),
      async deliver({ resource }) {
        if (resource === 'later') return { retryAt: 30_000, isAttempt: true };
        inFlight.resolve();
        return new Promise(() => {});
      },
    });
    await database.transact((write) =>
      gone.outbox.appendEvents(write, [
        happened('a', 1),
        happened('a', 2),
        happened('aside', 1),
        happened('later', 1),
      ]),
    );
    gone.outbox.wake();
    await inFlight.promise;
    await until(async () => (await postponed(database)) === 1 && (await inLanes(database)) === 1);
    const { seen, deliver } = consumer();
    next.outbox.start(deliver);
    await next.append(['own', 1], ['a', 3]);
    await next.clock.advance(20_000);
    assert.deepEqual(seen, ['own1']);

    await next.outbox.takeOver(1);
    await next.outbox.idle();
    assert.deepEqual(
      seen.filter((each) => each.startsWith('a') && !each.startsWith('aside')),
      ['a1', 'a2', 'a3'],
    );
    assert.ok(seen.includes('aside1'));
    assert.ok(!seen.includes('later1'));
    await next.clock.advance(10_000);
    assert.equal(seen.at(-1), 'later1');
    await next.outbox.close();
  });

  test('the events that a process wrote while it was alone go to the first incarnation that takes over', async () => {
    const database = await open(outboxMigrations);
    await boxOn(database).append(['a', 1], ['a', 2]);
    const next = boxOn(database, {}, 0, 2);
    const { seen, deliver } = consumer();
    next.outbox.start(deliver);
    await next.outbox.takeOver(1);
    await next.outbox.idle();
    assert.deepEqual(seen, ['a1', 'a2']);
    await next.outbox.close();
  });

  test('a lane of one incarnation resumes its own events alone', async () => {
    const database = await open(outboxMigrations);
    const boxes = [1, 2].map((incarnation) => boxOn(database, {}, 0, incarnation));
    for (const [index, box] of boxes.entries()) {
      box.outbox.start({ admit: () => 'a host', deliver: async () => 'delivered' });
      await box.append([`r${index}`, 1]);
    }
    assert.equal(await inLanes(database), 2);
    assert.equal(await boxes[1]!.outbox.resume('a host', 5), 1);
    for (const { outbox } of boxes) await outbox.close();
  });

  test('the writer of an event does not decide who delivers it: that is who finishes the event ahead', async () => {
    const database = await open(outboxMigrations);
    const [one, other] = [boxOn(database, {}, 0, 1), boxOn(database, {}, 0, 2)];
    const [atOne, atOther] = [consumer(), consumer()];
    await one.append(['a', 1]);
    other.outbox.start(atOther.deliver);
    await other.append(['a', 2]);
    one.outbox.start(atOne.deliver);
    await one.outbox.idle();
    assert.deepEqual([atOne.seen, atOther.seen], [['a1', 'a2'], []]);
    await one.outbox.close();
    await other.outbox.close();
  });
}

function orderRules(open: OpenDatabase): void {
  test('each resource gets its events once and in order, whatever is refused how often', async () => {
    const database = await open(outboxMigrations);
    const resource = fc.constantFrom('a', 'b', 'c');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(resource, { maxLength: 5 }), { maxLength: 5 }),
        fc.nat(6),
        async (batches, seed) => {
          await database.transact((write) => sql`DELETE FROM outbox`.execute(write));
          const box = boxOn(database, { firstPauseMs: 100, concurrency: 2 });
          const { seen, deliver } = consumer(
            (_resource, number, attempts) => attempts <= (Number(number) * seed) % 3,
          );
          box.outbox.start(deliver);
          let number = 0;
          const expected = new Map<string, string[]>();
          for (const batch of batches) {
            const events = batch.map((each) => [each, number++] as const);
            for (const [each, its] of events) {
              const list = expected.get(each) ?? [];
              list.push(`${each}${its}`);
              expected.set(each, list);
            }
            await box.append(...events);
          }
          await box.clock.advance(20_000);
          for (const [each, list] of expected) {
            assert.deepEqual(
              seen.filter((line) => line.startsWith(each) && !line.includes('refused')),
              list,
            );
          }
          await box.outbox.close();
        },
      ),
      { numRuns: 8 },
    );
  });
}

eachDatabase('the outbox', rules);
