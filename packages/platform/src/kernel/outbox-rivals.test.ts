import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Database } from '@jackfield/ports';
import { createRecordingLog, createVirtualClock, onTwoNodes } from '@jackfield/testkit';
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
});
