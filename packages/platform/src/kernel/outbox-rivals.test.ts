import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Database, Write } from '@jackfield/ports';
import {
  brokenInvariants,
  createRecordingLog,
  createVirtualClock,
  onTwoNodes,
  recordedEvents,
} from '@jackfield/testkit';
import { sql } from 'kysely';
import { createOutbox, outboxMigrations } from './outbox.ts';
import { createOutboxStore } from './outbox-store.ts';
import { createOutcomeRecords } from './outcome-records.ts';

const account = 'MA000000000000000000';
const clock = createVirtualClock();

function append(database: Database, resource: string): Promise<void> {
  const log = createRecordingLog();
  const outbox = createOutbox({ database, clock, log, newEventId: () => randomUUID() });
  const callback = { url: 'https://x.example/', method: 'POST' } as const;
  const event = { type: 'happened', account, mainAccount: account, resource, payload: {}, callback };
  return database.transact((write) => outbox.appendEvents(write, [event]), {
    isolation: 'read-committed',
    key: resource,
  });
}

async function finishFirst(database: Database, resource: string): Promise<void> {
  const store = createOutboxStore(database);
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM outbox WHERE resource = ${resource} ORDER BY id LIMIT 1`.execute(database.read);
  const event = await store.find(rows[0]!.id);
  await createOutcomeRecords(database, store, clock)(event!, 'delivered');
}

/** Exactly the oldest unfinished event is armed. */
async function assertOldestArmed(database: Database, resource: string): Promise<void> {
  const { rows } = await sql<{ armed: number }>`
    SELECT next_attempt_at IS NOT NULL AS armed FROM outbox
    WHERE resource = ${resource} AND delivered_at IS NULL ORDER BY id`.execute(database.read);
  assert.deepEqual(
    rows.map(({ armed }) => armed),
    rows.map((_, index) => (index === 0 ? 1 : 0)),
  );
}

/** The database, whose new events do not lock the event ahead of them. */
function withoutLock(database: Database): Database {
  const unlocked = (write: Write): Write =>
    new Proxy(write, {
      get(target, name) {
        if (name !== 'executeQuery') return Reflect.get(target, name, target);
        return (query: Parameters<Write['executeQuery']>[0]) =>
          target.executeQuery(
            'sql' in query && query.sql.includes('INSERT INTO outbox')
              ? { ...query, sql: query.sql.replace('FOR UPDATE', '') }
              : query,
          );
      },
    });
  return {
    ...database,
    transact: (work, options) => database.transact((write) => work(unlocked(write)), options),
  };
}

/** Sends what is armed until nothing is, as a node does; resolves with what the receiver got, the first event included. */
async function acceptedOf(database: Database, resource: string): Promise<readonly string[]> {
  const store = createOutboxStore(database);
  const { rows } = await sql<{ event_id: string }>`
    SELECT event_id FROM outbox WHERE resource = ${resource} AND delivered_at IS NOT NULL`.execute(
    database.read,
  );
  const accepted = rows.map(({ event_id }) => event_id);
  for (;;) {
    const armed = await sql<{ id: number }>`
      SELECT id FROM outbox WHERE resource = ${resource} AND next_attempt_at IS NOT NULL`.execute(
      database.read,
    );
    const event = armed.rows[0] && (await store.find(armed.rows[0].id));
    if (event === undefined) return accepted;
    accepted.push(event.eventId);
    await createOutcomeRecords(database, store, clock)(event, 'delivered');
  }
}

onTwoNodes('the outbox of two nodes', outboxMigrations, ({ race }) => {
  const prepared = (events: number) => async (database: Database) => {
    const resource = `call/${randomUUID()}`;
    for (let index = 0; index < events; index++) await append(database, resource);
    return resource;
  };
  const check = async (
    database: Database,
    resource: string,
    outcome: { readonly unit: boolean; readonly rival: boolean },
  ) => {
    assert.ok(outcome.unit && outcome.rival);
    await assertOldestArmed(database, resource);
  };

  for (const events of [1, 2, 3]) {
    test(`a new event is armed at last when the first of ${events} ahead is finished meanwhile`, async () => {
      await race({ prepare: prepared(events), unit: append, rival: finishFirst, check });
    });

    test(`the first of ${events} events is finished while another one is appended, and one is armed`, async () => {
      await race({ prepare: prepared(events), unit: finishFirst, rival: append, check });
    });
  }

  for (const hasLock of [true, false])
    test(`the checker of histories finds ${hasLock ? 'nothing' : 'events that never arrive where new ones do not lock the one ahead'}`, async () => {
      const broken: number[] = [];
      await race({
        prepare: prepared(1),
        unit: (database, resource) => append(hasLock ? database : withoutLock(database), resource),
        rival: finishFirst,
        async check(database, resource) {
          const accepted = await acceptedOf(database, resource);
          const events = (await recordedEvents(database.read)).filter((each) => each.resource === resource);
          assert.equal(events.length, 2);
          broken.push(...brokenInvariants({ events, accepted }).map(({ invariant }) => invariant));
        },
      });
      assert.deepEqual(new Set(broken), new Set(hasLock ? [] : [2]));
    });
});
