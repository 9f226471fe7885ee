import type { Instant } from '../../kernel/machine.ts';
import type { Page } from '../../kernel/pagination.ts';
import type { Database, Read, Write } from '../../ports/database.ts';

export type CallbacksTables = {
  callbacks: {
    callback_id: string;
    event_id: string;
    account: string;
    main_account: string;
    resource: string;
    event_type: string;
    /** As the customer set it, with its fragment. */
    url: string;
    method: 'GET' | 'POST';
    /** JSON: names and values of the form, all of them texts. */
    fields: string;
    /** JSON: what was sent besides the headers of the transport. */
    headers: string;
    signed_v2: string;
    signed_v3: string;
    status: 'delivered' | 'retrying' | 'failed';
    attempts: number;
    response_status: number | null;
    problem: string | null;
    duration_ms: number;
    /** Of the event, or of the wish to send it again. */
    created_at: number;
    last_attempt_at: number;
    next_attempt_at: number | null;
  };
};

export type CallbackRow = CallbacksTables['callbacks'];

/** Whose deliveries are looked at: a main account sees those of its subaccounts too. */
export interface Viewer {
  readonly authId: string;
  readonly isSubaccount: boolean;
}

export interface CallbackFilters {
  readonly resource?: string | undefined;
  readonly status?: CallbackRow['status'] | undefined;
}

const tables = (read: Read | Write) => (read as Read).withTables<CallbacksTables>();

/** The last attempt replaces the one before it; what names the delivery never changes. */
export async function saveAttempt(database: Database, row: CallbackRow): Promise<void> {
  const { headers, signed_v2, signed_v3, status, attempts, response_status, problem } = row;
  const { duration_ms, last_attempt_at, next_attempt_at } = row;
  const last = { headers, signed_v2, signed_v3, status, attempts, response_status, problem };
  await database.transact((write) =>
    tables(write)
      .insertInto('callbacks')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .column('callback_id')
          .doUpdateSet({ ...last, duration_ms, last_attempt_at, next_attempt_at }),
      )
      .execute(),
  );
}

/** How many attempts of a delivery have a recorded outcome. */
export async function attemptsOf(database: Database, callbackId: string): Promise<number> {
  const row = await tables(database.read)
    .selectFrom('callbacks')
    .select('attempts')
    .where('callback_id', '=', callbackId)
    .executeTakeFirst();
  return row?.attempts ?? 0;
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
  let wanted = seenBy(database, viewer);
  if (resource !== undefined) wanted = wanted.where('resource', '=', resource);
  if (status !== undefined) wanted = wanted.where('status', '=', status);
  const [counted, rows] = await Promise.all([
    wanted.select((columns) => columns.fn.countAll().as('total')).executeTakeFirstOrThrow(),
    wanted
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('callback_id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
  ]);
  return { total: Number(counted.total), rows };
}

/** Removes deliveries of events before `olderThan`, at most `limit` of them; resolves with how many. */
export async function pruneCallbacks(database: Database, olderThan: Instant, limit: number): Promise<number> {
  const old = tables(database.read)
    .selectFrom('callbacks')
    .select('callback_id')
    .where('created_at', '<', olderThan)
    .orderBy('created_at')
    .limit(limit);
  const rows = await old.execute();
  if (rows.length === 0) return 0;
  await database.transact((write) =>
    tables(write)
      .deleteFrom('callbacks')
      .where(
        'callback_id',
        'in',
        rows.map((row) => row.callback_id),
      )
      .execute(),
  );
  return rows.length;
}

export async function removeCallbacks(write: Write, account: string): Promise<void> {
  await tables(write).deleteFrom('callbacks').where('account', '=', account).execute();
}

export async function passOnCallbacks(write: Write, account: string, main: string): Promise<void> {
  await tables(write)
    .updateTable('callbacks')
    .set({ account: main })
    .where('account', '=', account)
    .execute();
}

function seenBy(database: Database, { authId, isSubaccount }: Viewer) {
  return tables(database.read)
    .selectFrom('callbacks')
    .where(isSubaccount ? 'account' : 'main_account', '=', authId);
}
