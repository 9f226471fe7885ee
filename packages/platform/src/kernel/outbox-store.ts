import type { Database, Instant, Read, Write } from '@jackfield/ports';
import { type CompiledQuery, type Kysely, sql } from 'kysely';
import type { CallbackTarget } from './kernel-effects.ts';
import { type AppendedEvent, type NewEvent, type OutboxRow, outboxQueries } from './outbox-queries.ts';

/** An event that is being delivered. */
export interface StoredEvent extends AppendedEvent {
  readonly id: number;
  /** Counts the current attempt; an earlier attempt without a recorded outcome does not count. */
  readonly attempts: number;
}

/** A transaction that changes more rows would hold up other writers. */
export const rowsPerTransaction = 1_000;

/** The outbox's table. */
export interface OutboxStore {
  /** `offset` is that of `continuePositions`. */
  insert(write: Write, events: readonly NewEvent[], offset: number): Promise<void>;
  /** Armed events of this process in the order in which they fall due, later ones included. */
  armed(limit: number): Promise<readonly { readonly id: number; readonly next_attempt_at: Instant }[]>;
  find(id: number): Promise<StoredEvent | undefined>;
  /** Finishes an event and arms the next of its resource for this process; false when it had been finished already. */
  finish(
    write: Write,
    event: StoredEvent,
    outcome: 'delivered' | 'abandoned',
    now: Instant,
  ): Promise<boolean>;
  postpone(write: Write, event: StoredEvent, until: Instant, isAttempt: boolean): Promise<boolean>;
  /** Sets events aside until the lane is resumed, or until `until`. */
  park(write: Write, lane: string, events: readonly StoredEvent[], until: Instant): Promise<void>;
  /** Makes the oldest `slots` events of the lane due; resolves with their number. */
  resume(write: Write, lane: string, slots: number, now: Instant): Promise<number>;
  /** Makes due what the last process had set aside, at most `limit` events; resolves with their number. */
  release(write: Write, limit: number, now: Instant): Promise<number>;
  /** Takes over armed events of another incarnation, at most `limit`; resolves with their number. */
  takeOver(write: Write, ended: number, limit: number, now: Instant): Promise<number>;
  /** Makes events of this process that are due after `latest` due then. */
  bringForward(write: Write, latest: Instant): Promise<number>;
}

/** Without an incarnation no other process uses the database. */
export function createOutboxStore(database: Database, incarnation?: number): OutboxStore {
  const queries = outboxQueries(database, incarnation);
  const changed = async (write: Write, query: CompiledQuery<unknown>): Promise<number> =>
    Number((await write.executeQuery(query)).numAffectedRows ?? 0n);

  return {
    async insert(write, events, offset) {
      // Together: a connection to a server pipelines them.
      if (events.length === 1) await write.executeQuery(queries.insert(events[0]!, offset));
      else await Promise.all(events.map((event) => write.executeQuery(queries.insert(event, offset))));
    },
    armed: async (limit) => (await database.read.executeQuery(queries.armed(limit))).rows,
    async find(id) {
      const row = (await database.read.executeQuery(queries.row(id))).rows[0];
      return row && eventOf(row);
    },
    async finish(write, event, outcome, now) {
      if ((await changed(write, queries.finish(event.id, outcome, now))) === 0) return false;
      await write.executeQuery(queries.armNext(event.resource, now));
      return true;
    },
    postpone: async (write, event, until, isAttempt) =>
      (await changed(write, queries.postpone(event.id, until, isAttempt ? 1 : 0, null))) > 0,
    async park(write, lane, events, until) {
      await Promise.all(events.map(({ id }) => write.executeQuery(queries.postpone(id, until, 0, lane))));
    },
    resume: (write, lane, slots, now) => changed(write, queries.resume(lane, slots, now)),
    release: (write, limit, now) => changed(write, queries.release(limit, now)),
    takeOver: (write, ended, limit, now) => changed(write, queries.takeOver(ended, limit, now)),
    bringForward: (write, latest) => changed(write, queries.bringForward(latest)),
  };
}

type OutboxTables = {
  outbox: OutboxRow;
};

function eventOf(row: OutboxRow): StoredEvent {
  return {
    id: row.id,
    eventId: row.event_id,
    account: row.account,
    mainAccount: row.main_account,
    resource: row.resource,
    type: row.type,
    payload: JSON.parse(row.payload),
    ...(row.callback === null ? {} : { callback: JSON.parse(row.callback) as CallbackTarget }),
    createdAt: row.created_at,
    attempts: row.attempts + 1,
  };
}

export interface Pruning {
  readonly olderThan: Instant;
  /** The newest `number` events may stay; older ones go, whatever their age. */
  readonly number: number;
  /** Removes events that were never delivered as well. */
  readonly unfinishedToo: boolean;
  /** The last row that was read before. */
  readonly after: number;
  readonly limit: number;
}

/** Removes events that are too old or too many, oldest first; resolves with the last row that was read, undefined at the end. */
export async function pruneEvents(database: Database, pruning: Pruning): Promise<number | undefined> {
  const events = tables(database.read).selectFrom('outbox');
  const newest = await events.select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  if (newest === undefined) return undefined;
  const window = await sql<{ id: number; is_finished: number }>`
    SELECT id, CASE WHEN delivered_at IS NULL AND abandoned_at IS NULL THEN 0 ELSE 1 END AS is_finished FROM outbox
    WHERE id > ${pruning.after} AND (created_at < ${pruning.olderThan} OR id <= ${newest.id - pruning.number})
    AND id <= (SELECT max(id) FROM (SELECT id FROM outbox WHERE id > ${pruning.after} ORDER BY id LIMIT ${pruning.limit}) AS few)
    ORDER BY id`.execute(database.read);
  const ids = window.rows.filter((row) => pruning.unfinishedToo || row.is_finished === 1).map(({ id }) => id);
  if (ids.length > 0) {
    await database.transact((write) => tables(write).deleteFrom('outbox').where('id', 'in', ids).execute(), {
      isolation: 'read-committed',
    });
  }
  return window.rows.length === pruning.limit ? window.rows.at(-1)!.id : undefined;
}

function tables(read: Read): Kysely<OutboxTables> {
  return read.withTables<OutboxTables>() as unknown as Kysely<OutboxTables>;
}
