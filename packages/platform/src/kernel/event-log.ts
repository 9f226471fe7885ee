import type { Database, Instant } from '@jackfield/ports';
import { type CompiledQuery, sql } from 'kysely';
import { createFinalPosition } from './final-position.ts';
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
  /** The oldest `limit` events behind the cursor, oldest first; of these resources alone, where some are named. */
  after(
    reader: EventReader,
    cursor: EventCursor,
    limit: number,
    resources?: readonly string[],
  ): Promise<readonly LoggedEvent[]>;
  /** The newest `limit` events, oldest first. */
  newest(reader: EventReader, limit: number, resources?: readonly string[]): Promise<readonly LoggedEvent[]>;
}

export const firstCursor: EventCursor = '0-0';
const cursorShape = /^(\d{1,15})-(\d{1,15})$/;

export function isEventCursor(text: string): boolean {
  return cursorShape.test(text);
}

interface EventRow {
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
 * Order is that of `(written_in, id)`: on PostgreSQL the transaction and an offset (`event-positions.ts`). PostgreSQL may commit an event after others with greater ids, even with greater
 * transactions. So an event is shown only when its transaction is older than every running one of the database. SQLite has one writer, and
 * `written_in` is 0.
 */
export function createEventLog({ read, dialect }: Pick<Database, 'read' | 'dialect'>): EventLog {
  const finalPosition = dialect === 'postgres' ? createFinalPosition({ read }) : undefined;
  const columns = sql.raw('id, written_in, event_id, type, account, resource, created_at, payload');
  const isFinal = finalPosition === undefined ? sql`` : sql`AND written_in < CAST(${0} AS BIGINT)`;
  const isEvent = sql.raw(`AND resource NOT LIKE '${replayResource}%'`);
  const of = {
    main: sql`main_account = ${''}`,
    subaccount: sql`account = ${''} AND account <> main_account`,
    // Each account is an expression: the index of the resource is the only one to use.
    resourceOfMain: sql`resource = ${''} AND main_account || '' = ${''}`,
    resourceOfSubaccount: sql`resource = ${''} AND account || '' = ${''}`,
  };
  const queries = (reader: typeof of.main) => ({
    after: sql<EventRow>`
      SELECT ${columns} FROM outbox
      WHERE ${reader} AND (written_in, id) > (CAST(${0} AS BIGINT), CAST(${0} AS BIGINT)) ${isEvent} ${isFinal}
      ORDER BY written_in, id LIMIT ${0}`.compile(read),
    newest: sql<EventRow>`
      SELECT ${columns} FROM outbox WHERE ${reader} ${isEvent} ${isFinal}
      ORDER BY written_in DESC, id DESC LIMIT ${0}`.compile(read),
  });
  const whole = { main: queries(of.main), subaccount: queries(of.subaccount) };
  const byResource = { main: queries(of.resourceOfMain), subaccount: queries(of.resourceOfSubaccount) };

  async function run(query: CompiledQuery<EventRow>, parameters: readonly unknown[]) {
    return (await read.executeQuery<EventRow>({ ...query, parameters })).rows;
  }

  /** The rows of the account, or of each of these resources. */
  async function rowsOf(
    { authId, isSubaccount }: EventReader,
    kind: 'after' | 'newest',
    parameters: readonly unknown[],
    resources: readonly string[] | undefined,
  ): Promise<EventRow[]> {
    const view = isSubaccount ? 'subaccount' : 'main';
    if (resources === undefined) return [...(await run(whole[view][kind], [authId, ...parameters]))];
    const query = byResource[view][kind];
    const found = await Promise.all(
      resources.map((resource) => run(query, [resource, authId, ...parameters])),
    );
    return found.flat();
  }

  /** The parameter of `isFinal`. */
  const final = async () => (finalPosition === undefined ? [] : [await finalPosition()]);

  return {
    async after(reader, cursor, limit, resources) {
      const [, writtenIn, id] = cursorShape.exec(cursor) ?? [];
      const parameters = [Number(writtenIn), Number(id), ...(await final()), limit];
      const rows = await rowsOf(reader, 'after', parameters, resources);
      return rows.sort(inOrder).slice(0, limit).map(loggedEvent);
    },
    async newest(reader, limit, resources) {
      const rows = await rowsOf(reader, 'newest', [...(await final()), limit], resources);
      return rows.sort(inOrder).slice(-limit).map(loggedEvent);
    },
  };
}

function inOrder(one: EventRow, other: EventRow): number {
  return one.written_in - other.written_in || one.id - other.id;
}

function loggedEvent(row: EventRow): LoggedEvent {
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
