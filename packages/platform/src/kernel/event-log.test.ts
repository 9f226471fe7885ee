import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Database, UnitOptions, Write } from '@jackfield/ports';
import {
  createRecordingLog,
  createVirtualClock,
  eachDatabase,
  postgresMissing,
  startPostgres,
} from '@jackfield/testkit';
import { sql } from 'kysely';
import { createEventLog, firstCursor } from './event-log.ts';
import { oldestOf } from './final-position.ts';
import { createIncarnation, incarnationMigrations } from './incarnation.ts';
import { type OutboxEvent, replayResource } from './kernel-effects.ts';
import { createOutbox, outboxMigrations } from './outbox.ts';

const [main, sub] = ['MA000000000000000000', 'SA000000000000000000'];
const reader = { authId: main, isSubaccount: false };

function eventLogOn(database: Database) {
  const log = createRecordingLog();
  const clock = createVirtualClock();
  const outbox = createOutbox({ database, clock, log, newEventId: () => randomUUID() });
  const event = (number: number, changes: Partial<OutboxEvent>): OutboxEvent => ({
    type: 'happened',
    account: main,
    mainAccount: main,
    resource: 'r/1',
    payload: { number },
    ...changes,
  });
  const append = (write: Write, number: number, changes: Partial<OutboxEvent> = {}) =>
    outbox.appendEvents(write, [event(number, changes)]);
  return { eventLog: createEventLog(database), outbox, append };
}

const numbers = (events: readonly { readonly data: Readonly<Record<string, unknown>> }[]) =>
  events.map(({ data }) => data.number);

eachDatabase('the event stream', (open) => {
  test('events of named resources are read in their order, of the own account alone', async () => {
    const database = await open(outboxMigrations);
    const { eventLog, append } = eventLogOn(database);
    const other = { mainAccount: 'MA111111111111111111', account: 'MA111111111111111111' };
    await database.transact(async (write) => {
      for (let number = 1; number <= 9; number++)
        await append(write, number, { resource: `r/${number % 3}` });
      await append(write, 10, { ...other, resource: 'r/1' });
      await append(write, 11, { account: sub, resource: 'r/1' });
    });
    assert.deepEqual(numbers(await eventLog.after(reader, firstCursor, 4, ['r/1', 'r/2'])), [1, 2, 4, 5]);
    assert.deepEqual(numbers(await eventLog.newest(reader, 3, ['r/1', 'r/2'])), [7, 8, 11]);
    const [, second] = await eventLog.after(reader, firstCursor, 2, ['r/1']);
    assert.deepEqual(numbers(await eventLog.after(reader, second!.cursor, 10, ['r/1', 'r/1x'])), [7, 11]);
    const own = { authId: sub, isSubaccount: true };
    assert.deepEqual(numbers(await eventLog.after(own, firstCursor, 10, ['r/1', 'r/2'])), [11]);
  });

  test('a main account reads its own events and those of its subaccounts, a subaccount its own; replays are no events', async () => {
    const database = await open(outboxMigrations);
    const { eventLog, append } = eventLogOn(database);
    await database.transact(async (write) => {
      await append(write, 1);
      await append(write, 2, { account: sub });
      await append(write, 3, { mainAccount: 'MA111111111111111111', account: 'MA111111111111111111' });
      await append(write, 4, {
        resource: `${replayResource}x`,
        callback: { url: 'http://a.example/', method: 'POST' },
      });
    });
    assert.deepEqual(numbers(await eventLog.after(reader, firstCursor, 10)), [1, 2]);
    assert.deepEqual(numbers(await eventLog.newest(reader, 1)), [2]);
    const own = { authId: sub, isSubaccount: true };
    assert.deepEqual(numbers(await eventLog.after(own, firstCursor, 10)), [2]);
    assert.deepEqual(numbers(await eventLog.newest(own, 10)), [2]);
  });

  test('a read behind the cursor of an event gives all later events', async () => {
    const database = await open(outboxMigrations);
    const { eventLog, append } = eventLogOn(database);
    for (let number = 0; number < 5; number++) await database.transact((write) => append(write, number));
    const all = await eventLog.after(reader, firstCursor, 10);
    for (const [index, { cursor }] of all.entries()) {
      assert.deepEqual(numbers(await eventLog.after(reader, cursor, 10)), numbers(all.slice(index + 1)));
    }
    assert.deepEqual(numbers(await eventLog.after(reader, all[0]!.cursor, 2)), [1, 2]);
  });

  test('a page is answered from an index, whatever other accounts have written', async () => {
    const database = await open(outboxMigrations);
    const explain = database.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    if (database.dialect === 'postgres') {
      const { append } = eventLogOn(database);
      await database.transact(async (write) => {
        for (let number = 0; number < 2000; number++) {
          await append(write, number, { mainAccount: `M${number % 500}`, account: `S${number % 1000}` });
        }
      });
      await sql`ANALYZE outbox`.execute(database.read);
    }
    for (const [who, index] of [
      ["main_account = 'M1'", 'outbox_of_main_account'],
      ["account = 'S1' AND account <> main_account", 'outbox_of_subaccount'],
    ] as const) {
      const { rows } = await sql
        .raw(
          `${explain} SELECT * FROM outbox WHERE ${who} AND (written_in, id) > (0, 0) ORDER BY written_in, id LIMIT 5`,
        )
        .execute(database.read);
      assert.match(JSON.stringify(rows), new RegExp(index));
      // PostgreSQL may sort the few rows that an index gave.
      assert.doesNotMatch(JSON.stringify(rows), /TEMP B-TREE|Seq Scan/);
    }
  });
});

/** Units that may run in two lanes. */
const concurrent: UnitOptions = { isolation: 'read-committed' };

describe('the event stream beside long transactions', { skip: postgresMissing() ?? false }, () => {
  for (const order of ['older', 'younger'] as const) {
    test(`an event of a transaction that is committed late is not skipped when it is the ${order} one`, async () => {
      const { server } = await startPostgres();
      const url = await server!.createDatabase();
      const database = createPostgresDatabase({ url, poolSize: 5, writers: 3, log: createRecordingLog() });
      await database.migrate(outboxMigrations);
      const { eventLog, append } = eventLogOn(database);
      const [late, soon] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const written = Promise.withResolvers<void>();
      // Both transactions have their number before either event: so the orders of events and of transactions differ.
      const slow = database.transact(async (write) => {
        if (order === 'older') await sql`SELECT pg_current_xact_id()`.execute(write);
        else await soon.promise;
        await append(write, 1);
        written.resolve();
        await late.promise;
      }, concurrent);
      await new Promise((resolve) => setImmediate(resolve));
      const fast = database.transact(async (write) => {
        await sql`SELECT pg_current_xact_id()`.execute(write);
        soon.resolve();
        await written.promise;
        await append(write, 2);
      }, concurrent);
      await fast;
      let cursor = firstCursor;
      const seen: unknown[] = [];
      const readOn = async () => {
        const events = await eventLog.after(reader, cursor, 10);
        cursor = events.at(-1)?.cursor ?? cursor;
        seen.push(...numbers(events));
      };
      await readOn();
      assert.ok(!seen.includes(1));
      late.resolve();
      await slow;
      await readOn();
      assert.deepEqual([...seen].sort(), [1, 2]);
      // A transaction that begins now is behind all of them.
      await database.transact((write) => append(write, 3));
      await readOn();
      assert.equal(seen.at(-1), 3);
      assert.equal(seen.length, 3);
      await database.close();
      await server!.stop();
    });
  }
});

describe('the event stream on a server that others use', { skip: postgresMissing() ?? false }, () => {
  test('waits for no transaction of another database', async () => {
    const { server } = await startPostgres();
    const [url, otherUrl] = [await server!.createDatabase(), await server!.createDatabase()];
    const open = (its: string) =>
      createPostgresDatabase({ url: its, poolSize: 5, writers: 3, log: createRecordingLog() });
    const [database, other] = [open(url), open(otherUrl)];
    await database.migrate(outboxMigrations);
    const { eventLog, append } = eventLogOn(database);
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const long = other.transact(async (write) => {
      await sql`SELECT pg_current_xact_id()`.execute(write);
      begun.resolve();
      await over.promise;
    });
    await begun.promise;
    await database.transact((write) => append(write, 1));
    assert.deepEqual(numbers(await eventLog.after(reader, firstCursor, 10)), [1]);
    assert.deepEqual(numbers(await eventLog.newest(reader, 10)), [1]);
    over.resolve();
    await long;
    await Promise.all([database.close(), other.close()]);
    await server!.stop();
  });

  test('knows the oldest transaction beside a wraparound of 32 bits', () => {
    assert.equal(oldestOf(1000, []), 1000);
    assert.equal(oldestOf(1000, [998, 997, 999]), 997);
    // It began after the snapshot.
    assert.equal(oldestOf(1000, [1002]), 1000);
    const wrap = 3 * 2 ** 32;
    assert.equal(oldestOf(wrap + 5, [2 ** 32 - 7, 4]), wrap - 7);
    assert.equal(oldestOf(wrap - 2, [3]), wrap - 2);
  });
});

describe('the event stream of a database that was restored into another server', {
  skip: postgresMissing() ?? false,
}, () => {
  test('has all events, and continues behind its last cursor; a node of the former server writes no more', async () => {
    const { server } = await startPostgres();
    const url = await server!.createDatabase();
    const log = createRecordingLog();
    const open = () => createPostgresDatabase({ url, poolSize: 4, writers: 2, isShared: true, log });
    const [former, database] = [open(), open()];
    await former.migrate([...outboxMigrations, ...incarnationMigrations]);
    const secrets = createSecrets(new Uint8Array(32).fill(7));
    const nodeOn = (its: Database, node: string) =>
      createIncarnation({ database: its, clock: createVirtualClock(), log, secrets, node });
    const nodes = [nodeOn(former, 'former'), nodeOn(database, 'next')];
    const before = eventLogOn(former);
    await before.outbox.open();
    await nodes[0]!.begin();
    for (const number of [1, 2, 3]) await former.transact((write) => before.append(write, number));
    // As many transactions lie between the counts of the two servers.
    await former.transact((write) => sql`UPDATE outbox SET written_in = written_in + 5000000`.execute(write));

    const { eventLog, append, outbox } = eventLogOn(database);
    await outbox.open();
    const restored = await eventLog.newest(reader, 10);
    assert.deepEqual(numbers(restored), [1, 2, 3]);
    await assert.rejects(
      former.transact((write) => before.append(write, 4)),
      { code: 'incarnation-ended' },
    );
    await nodes[1]!.begin();
    // Another start, which finds the stream continued.
    const again = eventLogOn(database);
    await again.outbox.open();
    await database.transact((write) => append(write, 5));
    await database.transact((write) => again.append(write, 6));
    assert.deepEqual(numbers(await eventLog.after(reader, restored.at(-1)!.cursor, 10)), [5, 6]);
    assert.deepEqual(numbers(await eventLog.newest(reader, 10, ['r/1'])), [1, 2, 3, 5, 6]);
    for (const node of nodes) await node.close();
    await former.close();
    await database.close();
    await server!.stop();
  });
});
