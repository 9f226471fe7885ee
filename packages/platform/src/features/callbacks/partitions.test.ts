import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Database, Instant } from '@jackfield/ports';
import { createRecordingLog, createVirtualClock, type OpenDatabase, onPostgres } from '@jackfield/testkit';
import { sql } from 'kysely';
import type { AppendedEvent } from '../../kernel/outbox-queries.ts';
import { boundAt, spanOf } from '../../kernel/partition-plan.ts';
import { createTimePartitions } from '../../kernel/time-partitions.ts';
import { callbackMigrations } from './create-callbacks.ts';
import { createCallbackStore, pruneCallbacks, waitingRow } from './store.ts';

const account = 'MA000000000000000000';
const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;
const earlier = callbackMigrations.filter(({ name }) => name !== 'callbacks/0005-partitions');

/** The log as a node has it: what it writes is what each release before wrote as well, but for the schedule. */
function logOn(database: Database, clock = createVirtualClock({ startAt: Date.now() })) {
  const store = createCallbackStore(database);
  const log = createRecordingLog();
  const partitions = createTimePartitions(
    { database, clock, log },
    { name: 'callbacks', since: 'created_at', keepMs: weekMs },
  );
  return {
    clock,
    log,
    /** A delivery of an event of now, and its outcome. */
    async deliver(createdAt: Instant = clock.wallNow(), callbackAt: Instant = createdAt): Promise<string> {
      const callbackId = `${boundAt(callbackAt)}-7${randomUUID().slice(15)}`;
      const event: AppendedEvent = {
        eventId: callbackId,
        type: 'call.ended',
        account,
        mainAccount: account,
        resource: 'call/1',
        payload: {},
        createdAt,
      };
      const row = waitingRow(event, { url: 'https://receiver.example/', method: 'POST' });
      await database.transact((write) => store.insert(write, [row]), { isolation: 'read-committed' });
      await database.transact((write) => store.save(write, { ...row, status: 'delivered', attempts: 1 }), {
        isolation: 'read-committed',
      });
      return callbackId;
    },
    /** What the node that removes old rows does each minute. */
    async maintain(): Promise<void> {
      for (const table of await partitions.maintain())
        await pruneCallbacks(database, clock.wallNow() - weekMs, 1_000, table);
    },
    async rows(): Promise<ReadonlyMap<string, string>> {
      const { rows } = await sql<{ callback_id: string; at: string }>`
        SELECT callback_id, tableoid::regclass::text AS at FROM callbacks WHERE status = 'delivered' ORDER BY callback_id`.execute(
        database.read,
      );
      return new Map(rows.map(({ callback_id, at }) => [callback_id, at]));
    },
    async partitions(): Promise<readonly string[]> {
      const { rows } = await sql<{ name: string }>`
        SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'callbacks'::regclass ORDER BY 1`.execute(
        database.read,
      );
      return rows.map(({ name }) => name);
    },
  };
}

/** The key of a unit that does not delay serializable ones, which share the first lane. */
function inAnotherLane(database: Database): string {
  for (let number = 0; ; number++) if (database.laneOf(`key ${number}`) > 0) return `key ${number}`;
}

function upgradeRules(open: OpenDatabase): void {
  test('a node of the release before writes the log while the table becomes partitions, and loses nothing', async () => {
    const database = await open(earlier);
    const { deliver, rows } = logOn(database);
    const written: string[] = [];
    for (let count = 0; count < 20; count++) written.push(await deliver());
    let isMigrated = false;
    let behind = 0;
    const writing = Array.from({ length: 4 }, async () => {
      while (behind < 40) {
        written.push(await deliver());
        if (isMigrated) behind++;
      }
    });
    await database.migrate(callbackMigrations);
    isMigrated = true;
    await Promise.all(writing);
    const found = await rows();
    assert.deepEqual([...found.keys()], written.toSorted());
    assert.deepEqual(new Set(found.values()), new Set(['callbacks_before']));
  });

  test('the identifiers of a table that was filled in no order of time stay in one partition', async () => {
    const database = await open(earlier);
    const { deliver, rows, maintain, partitions } = logOn(database);
    const last = await deliver(Date.now(), 0xfe_00_00_00_00_00);
    await database.migrate(callbackMigrations);
    const later = await deliver();
    await maintain();
    assert.deepEqual(await partitions(), ['callbacks_before', 'callbacks_rest']);
    assert.deepEqual([...(await rows()).keys()], [later, last]);
  });
}

function timeRules(open: OpenDatabase): void {
  test('each row stays for its time and goes soon behind it, with its partition', async () => {
    const database = await open(callbackMigrations);
    const { clock, deliver, rows, maintain, partitions, log } = logOn(database);
    const stepMs = 3 * hourMs;
    const times = new Map<string, Instant>();
    for (let step = 0; step < 160; step++) {
      times.set(await deliver(), clock.wallNow());
      await maintain();
      const kept = new Set((await rows()).keys());
      for (const [id, at] of times) {
        const age = clock.wallNow() - at;
        if (age <= weekMs) assert.ok(kept.has(id), `a row of ${age / hourMs} hours is gone`);
        if (age > weekMs + spanOf(weekMs) + stepMs)
          assert.ok(!kept.has(id), `a row of ${age / hourMs} hours is there`);
      }
      await clock.advance(stepMs);
    }
    const names = await partitions();
    assert.ok(!names.includes('callbacks_before') && names.length <= 12, names.join());
    assert.ok(!new Set((await rows()).values()).has('callbacks_rest'));
    assert.ok(log.lines.some(({ sentence }) => sentence === 'partition of old rows dropped'));
  });

  test('a partition with a row that is younger than its identifier stays', async () => {
    const database = await open(callbackMigrations);
    const { clock, deliver, rows, maintain } = logOn(database);
    const old = await deliver();
    const young = await deliver(clock.wallNow() + 9 * 24 * hourMs, clock.wallNow());
    await clock.advance(9 * 24 * hourMs);
    await maintain();
    assert.deepEqual([...(await rows()).keys()], [young]);
    assert.notEqual(old, young);
    await clock.advance(8 * 24 * hourMs);
    await maintain();
    assert.equal((await rows()).size, 0);
  });

  test('rows that no partition holds are deleted after their time', async () => {
    const database = await open(callbackMigrations);
    const { clock, deliver, rows, maintain } = logOn(database);
    // Two weeks without the node that creates partitions.
    await clock.advance(2 * weekMs);
    const id = await deliver();
    assert.deepEqual([...(await rows())], [[id, 'callbacks_rest']]);
    await maintain();
    await clock.advance(hourMs);
    const next = await deliver();
    assert.match((await rows()).get(next)!, /^callbacks_\d{12}$/);
    await clock.advance(weekMs + 1);
    await maintain();
    assert.equal((await rows()).has(id), false);
  });

  test('a reader that does not end, such as a backup, defers the drop and no writer', async () => {
    const database = await open(callbackMigrations);
    const { clock, deliver, maintain, partitions, log } = logOn(database);
    await deliver();
    await clock.advance(weekMs + 25 * hourMs);
    const [isReading, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const reading = database.transact(
      async (write) => {
        await sql`SELECT 1 FROM callbacks LIMIT 1`.execute(write);
        isReading.resolve();
        await mayEnd.promise;
      },
      { isolation: 'read-committed', key: inAnotherLane(database) },
    );
    await isReading.promise;
    await maintain();
    assert.ok(log.lines.some(({ sentence }) => sentence.startsWith('partitions not changed while others')));
    assert.ok((await partitions()).includes('callbacks_before'));
    await deliver();
    mayEnd.resolve();
    await reading;
    await maintain();
    assert.ok(!(await partitions()).includes('callbacks_before'));
  });
}

onPostgres('The partitions of the log of callbacks', (open) => {
  upgradeRules(open);
  timeRules(open);
});
