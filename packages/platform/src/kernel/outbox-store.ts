import { type Generated, type Kysely, sql } from 'kysely';
import type { Database, Read, Write } from '../ports/database.ts';
import type { CallbackTarget, Instant, OutboxEvent } from './machine.ts';

type OutboxTables = {
  outbox: {
    id: Generated<number>;
    event_id: string;
    account: string;
    resource: string;
    sequence: number;
    type: string;
    payload: string;
    callback: string | null;
    claimed_at: number | null;
    created_at: number;
    delivered_at: number | null;
    abandoned_at: number | null;
    attempts: number;
    next_attempt_at: number | null;
  };
};

/** An event on its way. `sequence` rises by one from event to event of a resource. */
export interface StoredEvent extends OutboxEvent {
  readonly id: number;
  readonly eventId: string;
  readonly sequence: number;
  readonly createdAt: Instant;
  /** Counts the attempt that is being made. */
  readonly attempts: number;
}

/** SQLite takes 32,766 parameters in a statement, PostgreSQL 65,535; a row has fewer than twenty. */
const rowsPerStatement = 500;

export async function insertEvents(
  write: Write,
  events: readonly OutboxEvent[],
  now: Instant,
  newEventId: () => string,
): Promise<void> {
  for (let start = 0; start < events.length; start += rowsPerStatement) {
    await insertSome(write, events.slice(start, start + rowsPerStatement), now, newEventId);
  }
}

async function insertSome(
  write: Write,
  events: readonly OutboxEvent[],
  now: Instant,
  newEventId: () => string,
): Promise<void> {
  // The rows of one statement do not see each other: what is ahead of a row in it is counted here.
  const ahead = new Map<string, number>();
  const rows = events.map((event) => {
    const { resource } = event;
    const offset = ahead.get(resource) ?? 0;
    ahead.set(resource, offset + 1);
    const sequence = sql<number>`(SELECT coalesce(max(sequence), 0) FROM outbox WHERE resource = ${resource}) + CAST(${offset + 1} AS BIGINT)`;
    // As parameters, not as text: a text that differs each time would be prepared each time.
    const armed = sql<number | null>`CASE WHEN EXISTS (
      SELECT 1 FROM outbox WHERE resource = ${resource} AND delivered_at IS NULL AND abandoned_at IS NULL
    ) THEN NULL ELSE CAST(${now} AS BIGINT) END`;
    return {
      event_id: newEventId(),
      account: event.account,
      resource,
      sequence,
      type: event.type,
      payload: JSON.stringify(event.payload),
      callback: event.callback === undefined ? null : JSON.stringify(event.callback),
      claimed_at: null,
      created_at: now,
      attempts: 0,
      next_attempt_at: offset === 0 ? armed : null,
    };
  });
  await tables(write).insertInto('outbox').values(rows).execute();
}

/** Takes what is due, and keeps it from being taken again until `until`. */
export async function claimDue(
  database: Database,
  now: Instant,
  until: Instant,
  limit: number,
): Promise<readonly StoredEvent[]> {
  return database.transact(async (write) => {
    const due = tables(write)
      .selectFrom('outbox')
      .select('id')
      .where('next_attempt_at', '<=', now)
      .orderBy('next_attempt_at')
      .limit(limit);
    // What another node is taking at this moment is not waited for.
    const ids = await (database.dialect === 'postgres' ? due.forUpdate().skipLocked() : due).execute();
    if (ids.length === 0) return [];
    const rows = await tables(write)
      .updateTable('outbox')
      .set((row) => ({ next_attempt_at: until, claimed_at: now, attempts: row('attempts', '+', 1) }))
      .where(
        'id',
        'in',
        ids.map(({ id }) => id),
      )
      .returningAll()
      .execute();
    return rows
      .sort((left, right) => left.id - right.id)
      .map((row) => ({
        id: row.id,
        eventId: row.event_id,
        account: row.account,
        resource: row.resource,
        sequence: row.sequence,
        type: row.type,
        payload: JSON.parse(row.payload),
        ...(row.callback === null ? {} : { callback: JSON.parse(row.callback) as CallbackTarget }),
        createdAt: row.created_at,
        attempts: row.attempts,
      }));
  });
}

/** Finishes an event and arms the one that waits behind it. */
export async function finishEvent(
  database: Database,
  event: StoredEvent,
  outcome: 'delivered' | 'abandoned',
  now: Instant,
): Promise<void> {
  const finished = outcome === 'delivered' ? { delivered_at: now } : { abandoned_at: now };
  await database.transact(async (write) => {
    const update = tables(write).updateTable('outbox');
    const { numUpdatedRows } = await update
      .set({ next_attempt_at: null, claimed_at: null, ...finished })
      .where('id', '=', event.id)
      .where('delivered_at', 'is', null)
      .where('abandoned_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    const behind = tables(write)
      .selectFrom('outbox')
      .select('id')
      .where('resource', '=', event.resource)
      .where('delivered_at', 'is', null)
      .where('abandoned_at', 'is', null)
      .orderBy('sequence')
      .limit(1);
    await update
      .set({ next_attempt_at: now })
      .where('id', '=', behind)
      .where('next_attempt_at', 'is', null)
      .execute();
  });
}

/** `isAttempt` is false where nothing was tried: then it does not count as one. */
export async function postponeEvent(
  database: Database,
  event: StoredEvent,
  until: Instant,
  isAttempt: boolean,
): Promise<void> {
  await database.transact((write) =>
    tables(write)
      .updateTable('outbox')
      .set((row) => ({
        next_attempt_at: until,
        claimed_at: null,
        attempts: row('attempts', '-', isAttempt ? 0 : 1),
      }))
      .where('id', '=', event.id)
      .where('next_attempt_at', 'is not', null)
      .execute(),
  );
}

/** What a process had taken that is gone is due now: its leases need not be waited for. */
export async function releaseClaims(database: Database, now: Instant): Promise<void> {
  await database.transact((write) =>
    tables(write)
      .updateTable('outbox')
      .set({ next_attempt_at: now, claimed_at: null })
      .where('claimed_at', 'is not', null)
      .execute(),
  );
}

/** When the next event falls due; undefined when none is armed. */
export async function nextDue(read: Read): Promise<Instant | undefined> {
  const row = await tables(read)
    .selectFrom('outbox')
    .select('next_attempt_at')
    .where('next_attempt_at', 'is not', null)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at ?? undefined;
}

export interface Pruning {
  readonly olderThan: Instant;
  /** The newest so many stay, whatever their age. */
  readonly number: number;
  /** Where nobody takes events yet, those that were never delivered go too. */
  readonly unfinishedToo: boolean;
  readonly limit: number;
}

/** Removes what is too old or too much, at most `limit` rows; resolves with how many. */
export async function pruneEvents(database: Database, pruning: Pruning): Promise<number> {
  const events = tables(database.read).selectFrom('outbox').select('id').limit(1);
  const newest = await events.orderBy('id', 'desc').executeTakeFirst();
  if (newest === undefined) return 0;
  // Events are numbered as they are created, so the youngest of the old ones bounds them all: what stays is not looked at.
  const old = await events
    .where('created_at', '<', pruning.olderThan)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  const upTo = Math.max(newest.id - pruning.number, old?.id ?? 0);
  if (upTo <= 0) return 0;
  return database.transact(async (write) => {
    let pruned = tables(write)
      .selectFrom('outbox')
      .select('id')
      .where('id', '<=', upTo)
      .orderBy('id')
      .limit(pruning.limit);
    if (!pruning.unfinishedToo) {
      pruned = pruned.where((row) =>
        row.or([row('delivered_at', 'is not', null), row('abandoned_at', 'is not', null)]),
      );
    }
    const { numDeletedRows } = await tables(write)
      .deleteFrom('outbox')
      .where('id', 'in', pruned)
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}

function tables(read: Read): Kysely<OutboxTables> {
  return read.withTables<OutboxTables>() as unknown as Kysely<OutboxTables>;
}
