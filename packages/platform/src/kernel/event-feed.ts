import type { Database, Instant } from '@jackfield/ports';
import { type CompiledQuery, sql } from 'kysely';
import { replayResource } from './kernel-effects.ts';

/** Where a reader of the feed stands: behind the event with this name. `0-0` is before all of them. */
export type FeedCursor = string;

export interface FeedEvent {
  readonly cursor: FeedCursor;
  readonly eventId: string;
  readonly type: string;
  readonly account: string;
  readonly resource: string;
  readonly createdAt: Instant;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A main account reads what its subaccounts' events are too. */
export interface FeedReader {
  readonly authId: string;
  readonly isSubaccount: boolean;
}

/** What the outbox has kept, as accounts may read it. Nobody who goes on behind the last cursor misses an event. */
export interface EventFeed {
  /** The oldest `limit` events behind the cursor, oldest first. */
  after(reader: FeedReader, cursor: FeedCursor, limit: number): Promise<readonly FeedEvent[]>;
  /** The newest `limit` events, oldest first. */
  newest(reader: FeedReader, limit: number): Promise<readonly FeedEvent[]>;
}

export const feedStart: FeedCursor = '0-0';
const cursorShape = /^(\d{1,15})-(\d{1,15})$/;

export function isFeedCursor(text: string): boolean {
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
 * Order is that of `(written_in, id)`. On PostgreSQL an event may be committed after others with greater ids, even with
 * greater transactions: only what was written by transactions older than every one that still runs is final, so nothing
 * else is shown yet. SQLite has one writer, and `written_in` is 0.
 */
export function createEventFeed({ read, dialect }: Pick<Database, 'read' | 'dialect'>): EventFeed {
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
  const queries = (who: typeof of.main) => ({
    after: sql<FeedRow>`
      SELECT ${columns} FROM outbox
      WHERE ${who} AND (written_in, id) > (CAST(${0} AS BIGINT), CAST(${0} AS BIGINT)) ${isEvent} ${isFinal}
      ORDER BY written_in, id LIMIT ${0}`.compile(read),
    newest: sql<FeedRow>`
      SELECT ${columns} FROM outbox WHERE ${who} ${isEvent} ${isFinal}
      ORDER BY written_in DESC, id DESC LIMIT ${0}`.compile(read),
  });
  const built = { main: queries(of.main), subaccount: queries(of.subaccount) };

  async function run(query: CompiledQuery<FeedRow>, parameters: readonly unknown[]) {
    const { rows } = await read.executeQuery<FeedRow>({ ...query, parameters });
    return rows.map(feedEvent);
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

function feedEvent(row: FeedRow): FeedEvent {
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
