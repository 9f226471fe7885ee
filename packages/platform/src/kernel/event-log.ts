import type { Database, Instant } from '@jackfield/ports';
import { type CompiledQuery, sql } from 'kysely';
import { replayResource } from './kernel-effects.ts';

/** Position of a reader in the event stream: behind the event with this name. `0-0` is before all events. */
export type EventCursor = string;

export interface LoggedEvent {
  readonly cursor: EventCursor;
  readonly eventId: string;
  readonly type: string;
  readonly account: string;
  readonly resource: string;
  readonly createdAt: Instant;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A main account reads the events of its subaccounts as well. */
export interface EventReader {
  readonly authId: string;
  readonly isSubaccount: boolean;
}

/** The events that the outbox keeps, for accounts to read. A reader that continues from its last cursor misses none. */
export interface EventLog {
  /** The oldest `limit` events behind the cursor, oldest first. */
  after(reader: EventReader, cursor: EventCursor, limit: number): Promise<readonly LoggedEvent[]>;
  /** The newest `limit` events, oldest first. */
  newest(reader: EventReader, limit: number): Promise<readonly LoggedEvent[]>;
}

export const firstCursor: EventCursor = '0-0';
const cursorShape = /^(\d{1,15})-(\d{1,15})$/;

export function isEventCursor(text: string): boolean {
  return cursorShape.test(text);
}

interface FeedRow {
  readonly id: number;
  readonly written_in: number;
  readonly event_id: string;
  readonly type: string;
  readonly account: string;
  readonly resource: string;
  readonly created_at: number;
  readonly payload: string;
}

/**
 * Order is that of `(written_in, id)`. PostgreSQL may commit an event after others with greater ids, even with greater
 * transactions. So an event is shown only when its transaction is older than every running one. SQLite has one writer, and
 * `written_in` is 0.
 */
export function createEventLog({ read, dialect }: Pick<Database, 'read' | 'dialect'>): EventLog {
  const columns = sql.raw('id, written_in, event_id, type, account, resource, created_at, payload');
  const isFinal =
    dialect === 'postgres'
      ? sql.raw('AND written_in < pg_snapshot_xmin(pg_current_snapshot())::text::bigint')
      : sql.raw('');
  const isEvent = sql.raw(`AND resource NOT LIKE '${replayResource}%'`);
  const of = {
    main: sql`main_account = ${''}`,
    subaccount: sql`account = ${''} AND account <> main_account`,
  };
  const queries = (reader: typeof of.main) => ({
    after: sql<FeedRow>`
      SELECT ${columns} FROM outbox
      WHERE ${reader} AND (written_in, id) > (CAST(${0} AS BIGINT), CAST(${0} AS BIGINT)) ${isEvent} ${isFinal}
      ORDER BY written_in, id LIMIT ${0}`.compile(read),
    newest: sql<FeedRow>`
      SELECT ${columns} FROM outbox WHERE ${reader} ${isEvent} ${isFinal}
      ORDER BY written_in DESC, id DESC LIMIT ${0}`.compile(read),
  });
  const built = { main: queries(of.main), subaccount: queries(of.subaccount) };

  async function run(query: CompiledQuery<FeedRow>, parameters: readonly unknown[]) {
    const { rows } = await read.executeQuery<FeedRow>({ ...query, parameters });
    return rows.map(loggedEvent);
  }

  return {
    after({ authId, isSubaccount }, cursor, limit) {
      const [, writtenIn, id] = cursorShape.exec(cursor) ?? [];
      const query = (isSubaccount ? built.subaccount : built.main).after;
      return run(query, [authId, Number(writtenIn), Number(id), limit]);
    },
    async newest({ authId, isSubaccount }, limit) {
      const query = (isSubaccount ? built.subaccount : built.main).newest;
      return (await run(query, [authId, limit])).reverse();
    },
  };
}

function loggedEvent(row: FeedRow): LoggedEvent {
  return {
    cursor: `${row.written_in}-${row.id}`,
    eventId: row.event_id,
    type: row.type,
    account: row.account,
    resource: row.resource,
    createdAt: row.created_at,
    data: JSON.parse(row.payload),
  };
}
