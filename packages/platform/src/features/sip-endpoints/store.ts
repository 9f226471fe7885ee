import type { Generated, Kysely } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import type { Page } from '../../kernel/pagination.ts';
import type { BindingsTables } from './bindings-store.ts';

export type SipEndpointsTables = BindingsTables & {
  sip_endpoints: {
    /** Order of creation: lists in this order keep their pages when something is added. */
    position: Generated<number>;
    endpoint_id: string;
    account: string;
    /** The main account of `account`, or `account` itself: a main account lists what its subaccounts own. */
    main_account: string;
    /** `base_name` and `stamp` as YYMMDDHHMMSS. */
    username: string;
    base_name: string;
    /** Seconds since the Unix epoch. */
    stamp: number;
    alias: string;
    application_id: string | null;
    password_md5_sealed: string;
    ha1_md5: string;
    ha1_sha256: string;
    created_at: number;
  };
  /** How many endpoints an account sees, so that no list has to count them. */
  sip_endpoint_totals: { account: string; total: number };
};

export type EndpointRow = Omit<SipEndpointsTables['sip_endpoints'], 'position'>;
export type Tables = Kysely<SipEndpointsTables>;

const viewOf = (account: RequestAccount) => (account.isSubaccount ? 'account' : 'main_account');

export function findEndpoint(
  tables: Tables,
  account: RequestAccount,
  endpointId: string,
): Promise<EndpointRow | undefined> {
  return tables
    .selectFrom('sip_endpoints')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .where(viewOf(account), '=', account.authId)
    .executeTakeFirst();
}

export function listEndpoints(tables: Tables, account: RequestAccount, page: Page): Promise<EndpointRow[]> {
  return tables
    .selectFrom('sip_endpoints')
    .selectAll()
    .where(viewOf(account), '=', account.authId)
    .orderBy('position')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export async function totalOf(tables: Tables, account: string): Promise<number> {
  const row = await tables
    .selectFrom('sip_endpoint_totals')
    .select('total')
    .where('account', '=', account)
    .executeTakeFirst();
  return row?.total ?? 0;
}

/** The latest stamp that was given to this base name. */
export async function lastStampOf(tables: Tables, baseName: string): Promise<number | undefined> {
  const row = await tables
    .selectFrom('sip_endpoints')
    .select('stamp')
    .where('base_name', '=', baseName)
    .orderBy('stamp', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.stamp;
}

/**
 * Comes first in the transaction that creates an endpoint: its row locks keep the creations of an account one after another, so
 * that they do not fight for a stamp.
 */
export async function countNewEndpoint(tables: Tables, account: RequestAccount): Promise<void> {
  await changeTotal(tables, account.main, 1);
  if (account.isSubaccount) await changeTotal(tables, account.authId, 1);
}

export async function insertEndpoint(tables: Tables, row: EndpointRow): Promise<void> {
  await tables.insertInto('sip_endpoints').values(row).execute();
}

/** False when the account sees no such endpoint. */
export async function updateEndpoint(
  tables: Tables,
  account: RequestAccount,
  endpointId: string,
  changes: Partial<EndpointRow>,
): Promise<boolean> {
  const result = await tables
    .updateTable('sip_endpoints')
    .set(changes)
    .where('endpoint_id', '=', endpointId)
    .where(viewOf(account), '=', account.authId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** With its registrations. False when the account sees no such endpoint. */
export async function deleteEndpoint(
  tables: Tables,
  account: RequestAccount,
  endpointId: string,
): Promise<boolean> {
  const deleted = await tables
    .deleteFrom('sip_endpoints')
    .where('endpoint_id', '=', endpointId)
    .where(viewOf(account), '=', account.authId)
    .returning(['account', 'main_account'])
    .executeTakeFirst();
  if (deleted === undefined) return false;
  await tables.deleteFrom('sip_bindings').where('endpoint_id', '=', endpointId).execute();
  await changeTotal(tables, deleted.main_account, -1);
  if (deleted.account !== deleted.main_account) await changeTotal(tables, deleted.account, -1);
  return true;
}

/** Everything that a subaccount owns. */
export async function deleteEndpointsOf(tables: Tables, subaccount: string): Promise<void> {
  await tables
    .deleteFrom('sip_bindings')
    .where('endpoint_id', 'in', (of) =>
      of.selectFrom('sip_endpoints').select('endpoint_id').where('account', '=', subaccount),
    )
    .execute();
  const deleted = await tables
    .deleteFrom('sip_endpoints')
    .where('account', '=', subaccount)
    .returning('main_account')
    .execute();
  const main = deleted[0]?.main_account;
  if (main !== undefined) await changeTotal(tables, main, -deleted.length);
  await tables.deleteFrom('sip_endpoint_totals').where('account', '=', subaccount).execute();
}

/** The main account counted them as its own before. */
export async function passEndpointsOn(tables: Tables, subaccount: string, main: string): Promise<void> {
  await tables
    .updateTable('sip_endpoints')
    .set({ account: main })
    .where('account', '=', subaccount)
    .execute();
  await tables.deleteFrom('sip_endpoint_totals').where('account', '=', subaccount).execute();
}

// The main account always comes first, so that two transactions cannot wait for each other.
async function changeTotal(tables: Tables, account: string, change: number): Promise<void> {
  await tables
    .insertInto('sip_endpoint_totals')
    .values({ account, total: change })
    .onConflict((on) =>
      on.column('account').doUpdateSet((row) => ({ total: row('sip_endpoint_totals.total', '+', change) })),
    )
    .execute();
}
