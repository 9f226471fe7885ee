import type { Database, Instant, Read, Write } from '@jackfield/ports';
import { type CompiledQuery, sql } from 'kysely';
import type { CallbackTarget } from '../../kernel/kernel-effects.ts';
import type { AppendedEvent } from '../../kernel/outbox-queries.ts';
import type { Page } from '../../kernel/pagination.ts';
import { ownerNow } from '../accounts/index.ts';
import { fieldsOf } from './delivery/fields.ts';
import type { DeliveryProblemCode } from './domain/delivery-outcome.ts';

export type CallbacksTables = {
  callbacks: {
    callback_id: string;
    event_id: string;
    account: string;
    main_account: string;
    resource: string;
    event_type: string;
    /** With its fragment. */
    url: string;
    method: 'GET' | 'POST';
    /** JSON: pauses in seconds; null where the URL says them. */
    schedule: string | null;
    /** JSON: names and values of the form, all of them texts. */
    fields: string;
    /** JSON: headers that were sent, without those of the transport. */
    headers: string;
    signed_v2: string;
    signed_v3: string;
    status: 'waiting' | 'delivered' | 'retrying' | 'failed';
    attempts: number;
    /** JSON: every attempt, the first one first. */
    attempt_log: string;
    response_status: number | null;
    problem: string | null;
    problem_code: DeliveryProblemCode | null;
    duration_ms: number;
    /** Of the event, or of the request for a replay. */
    created_at: number;
    /** 0 before the first attempt. */
    last_attempt_at: number;
    next_attempt_at: number | null;
  };
};

export type CallbackRow = CallbacksTables['callbacks'];

/** The account that reads: a main account sees the deliveries of its subaccounts as well. */
export interface Viewer {
  readonly authId: string;
  readonly isSubaccount: boolean;
}

export interface CallbackFilters {
  readonly resource?: string | undefined;
  readonly status?: CallbackRow['status'] | undefined;
}

const tables = (read: Read | Write) => (read as Read).withTables<CallbacksTables>();

/** An attempt in the log. */
export interface CallbackAttempt {
  readonly at: Instant;
  /** HTTP status, null when no answer came. */
  readonly status: number | null;
  /** Milliseconds. */
  readonly duration: number;
  readonly problem: string | null;
  /** Absent in attempts that were logged before there were codes. */
  readonly problem_code?: DeliveryProblemCode | null;
}

/** A delivery before its first attempt. */
export function waitingRow(event: AppendedEvent, callback: CallbackTarget): CallbackRow {
  const { replay } = callback;
  return {
    callback_id: replay?.callbackId ?? event.eventId,
    event_id: replay?.eventId ?? event.eventId,
    account: event.account,
    main_account: event.mainAccount,
    resource: replay?.resource ?? callback.loggedResource ?? event.resource,
    event_type: event.type,
    url: callback.url,
    method: callback.method,
    schedule: callback.schedule === undefined ? null : JSON.stringify(callback.schedule),
    fields: JSON.stringify(fieldsOf(event.payload)),
    headers: '{}',
    signed_v2: '',
    signed_v3: '',
    status: 'waiting',
    attempts: 0,
    attempt_log: '[]',
    response_status: null,
    problem: null,
    problem_code: null,
    duration_ms: 0,
    created_at: event.createdAt,
    last_attempt_at: 0,
    next_attempt_at: event.createdAt,
  };
}

/** Writes and reads of every delivery; their queries are built once. */
export interface CallbackStore {
  insert(write: Write, rows: readonly CallbackRow[]): Promise<void>;
  /** Replaces the last attempt; the identity of the delivery never changes. */
  save(write: Write, row: CallbackRow): Promise<void>;
  /** Attempts of a delivery whose outcome is recorded. */
  attemptsOf(callbackId: string): Promise<readonly CallbackAttempt[]>;
}

export function createCallbackStore({ read }: Pick<Database, 'read'>): CallbackStore {
  const insert = tables(read).insertInto('callbacks').values(blank).compile();
  const save = tables(read)
    .updateTable('callbacks')
    .set(lastOf(blank))
    .where('callback_id', '=', '')
    .compile();
  const attempts = tables(read)
    .selectFrom('callbacks')
    .select('attempt_log')
    .where('callback_id', '=', '')
    .compile();
  const insertOf = (row: CallbackRow) => ({ ...insert, parameters: Object.values({ ...blank, ...row }) });

  return {
    async insert(write, rows) {
      await Promise.all(
        rows.map(async (row) => {
          const account = await ownerNow(write, row.account, row.main_account);
          await write.executeQuery(insertOf({ ...row, account }));
        }),
      );
    },
    async save(write, row) {
      const query = { ...save, parameters: [...Object.values(lastOf(row)), row.callback_id] };
      const { numAffectedRows } = await write.executeQuery(query);
      // The row may have been pruned, or the event is older than the table.
      if (numAffectedRows === 0n) await write.executeQuery(insertOf(row));
    },
    async attemptsOf(callbackId) {
      const query: CompiledQuery<Pick<CallbackRow, 'attempt_log'>> = {
        ...attempts,
        parameters: [callbackId],
      };
      const { rows } = await read.executeQuery(query);
      return rows[0] === undefined ? [] : JSON.parse(rows[0].attempt_log);
    },
  };
}

/** The order of its columns is that of the parameters. */
const blank: CallbackRow = waitingRow(
  { type: '', account: '', mainAccount: '', resource: '', payload: {}, eventId: '', createdAt: 0 },
  { url: '', method: 'POST' },
);

function lastOf(row: CallbackRow) {
  const { headers, signed_v2, signed_v3, status, attempts, attempt_log, response_status } = row;
  const { problem, problem_code, duration_ms, last_attempt_at, next_attempt_at } = row;
  const sent = { headers, signed_v2, signed_v3 };
  const result = { status, attempts, attempt_log, response_status, problem, problem_code };
  return { ...sent, ...result, duration_ms, last_attempt_at, next_attempt_at };
}

export function findCallback(
  database: Database,
  viewer: Viewer,
  callbackId: string,
): Promise<CallbackRow | undefined> {
  return seenBy(database, viewer).selectAll().where('callback_id', '=', callbackId).executeTakeFirst();
}

/** Newest first; the identifier decides between events of one millisecond. */
export async function listCallbacks(
  database: Database,
  viewer: Viewer,
  { resource, status }: CallbackFilters,
  page: Page,
): Promise<{ readonly total: number; readonly rows: readonly CallbackRow[] }> {
  let matching = seenBy(database, viewer);
  if (resource !== undefined) matching = matching.where('resource', '=', resource);
  if (status !== undefined) matching = matching.where('status', '=', status);
  const [counted, rows] = await Promise.all([
    matching.select((columns) => columns.fn.countAll().as('total')).executeTakeFirstOrThrow(),
    matching
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('callback_id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
  ]);
  return { total: Number(counted.total), rows };
}

/**
 * Removes deliveries of events before `olderThan`, at most `limit` of them; resolves with how many. `from` is the table, or one of its
 * partitions.
 */
export async function pruneCallbacks(
  database: Database,
  olderThan: Instant,
  limit: number,
  from = 'callbacks',
): Promise<number> {
  // Partitions have the columns of the table.
  const table = from as 'callbacks';
  const old = tables(database.read)
    .selectFrom(table)
    .select('callback_id')
    .where('created_at', '<', olderThan)
    .orderBy('created_at')
    .limit(limit);
  const rows = await old.execute();
  if (rows.length === 0) return 0;
  await database.transact((write) =>
    tables(write)
      .deleteFrom(table)
      .where(
        'callback_id',
        'in',
        rows.map((row) => row.callback_id),
      )
      .execute(),
  );
  return rows.length;
}

/** The condition of the index of subaccounts. */
const ofSubaccount = sql<boolean>`account <> main_account`;

export async function removeCallbacks(write: Write, subaccount: string): Promise<void> {
  await tables(write).deleteFrom('callbacks').where('account', '=', subaccount).where(ofSubaccount).execute();
}

export async function passOnCallbacks(write: Write, subaccount: string, main: string): Promise<void> {
  await tables(write)
    .updateTable('callbacks')
    .set({ account: main })
    .where('account', '=', subaccount)
    .where(ofSubaccount)
    .execute();
}

function seenBy(database: Database, { authId, isSubaccount }: Viewer) {
  const all = tables(database.read).selectFrom('callbacks');
  return isSubaccount
    ? all.where('account', '=', authId).where(ofSubaccount)
    : all.where('main_account', '=', authId);
}
