import type { Database, Instant, Write } from '@jackfield/ports';
import type { Kysely } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import type { Page } from '../../kernel/pagination.ts';
import { viewOf } from '../accounts/index.ts';
import { endpointQueries, type ShownRow } from './endpoint-queries.ts';
import type { EndpointRow, SipEndpointsTables } from './tables.ts';

/** SQL of the endpoints. Reads see the last commit; what writes takes the transaction it belongs to. */
export interface EndpointStore {
  /** With its newest live binding. */
  find(account: RequestAccount, endpointId: string, now: Instant): Promise<ShownRow | undefined>;
  /** In the order of creation, each with its newest live binding. */
  list(account: RequestAccount, page: Page, now: Instant): Promise<readonly ShownRow[]>;
  total(account: RequestAccount): Promise<number>;
  /**
   * Comes first in the transaction that creates an endpoint: its row locks keep the creations of an account one after another,
   * so that they do not fight for a stamp.
   */
  countNew(write: Write, account: RequestAccount): Promise<void>;
  /** The latest stamp that was given to this base name. */
  lastStamp(write: Write, baseName: string): Promise<number | undefined>;
  insert(write: Write, row: EndpointRow): Promise<void>;
  usernameOf(write: Write, account: RequestAccount, endpointId: string): Promise<string | undefined>;
  change(write: Write, endpointId: string, changes: Partial<EndpointRow>): Promise<void>;
  /** With its registrations. False when the account sees no such endpoint. */
  remove(write: Write, account: RequestAccount, endpointId: string): Promise<boolean>;
  /** Those that the account sees of the ones with this application. */
  removeAttached(write: Write, account: RequestAccount, applicationId: string): Promise<void>;
  /** Gives all that have one of these applications another one, or none. */
  reattach(write: Write, applicationIds: readonly string[], to: string | null): Promise<void>;
  /** Everything that a subaccount owns. */
  removeAll(write: Write, subaccount: string): Promise<void>;
  passOn(write: Write, subaccount: string, main: string): Promise<void>;
}

type Tables = Kysely<SipEndpointsTables>;

export function createEndpointStore({ read }: Pick<Database, 'read'>): EndpointStore {
  const queries = endpointQueries(read);
  const tablesOf = (write: Write): Tables => write.withTables<SipEndpointsTables>();

  // The main account always comes first, so that two transactions cannot wait for each other.
  async function changeTotals(write: Write, main: string, account: string, change: number): Promise<void> {
    await write.executeQuery(queries.changeTotal(main, change));
    if (account !== main) await write.executeQuery(queries.changeTotal(account, change));
  }

  async function forgetTotal(write: Write, subaccount: string): Promise<void> {
    await tablesOf(write).deleteFrom('sip_endpoint_totals').where('account', '=', subaccount).execute();
  }

  return {
    async find(account, endpointId, now) {
      return (await read.executeQuery(queries.one(account, endpointId, now))).rows[0];
    },
    async list(account, page, now) {
      const { rows } = await read.executeQuery(queries.page(account, page, now));
      // The rows of one endpoint stand together, that of its newest binding first.
      return rows.filter((row, at) => row.endpoint_id !== rows[at - 1]?.endpoint_id);
    },
    async total(account) {
      return (await read.executeQuery(queries.total(account.authId))).rows[0]?.total ?? 0;
    },
    countNew: (write, account) => changeTotals(write, account.main, account.authId, 1),
    async lastStamp(write, baseName) {
      return (await write.executeQuery(queries.lastStamp(baseName))).rows[0]?.stamp;
    },
    async insert(write, row) {
      await write.executeQuery(queries.insert(row));
    },
    async usernameOf(write, account, endpointId) {
      const row = await tablesOf(write)
        .selectFrom('sip_endpoints')
        .select('username')
        .where('endpoint_id', '=', endpointId)
        .where(viewOf(account), '=', account.authId)
        .executeTakeFirst();
      return row?.username;
    },
    async change(write, endpointId, changes) {
      await tablesOf(write)
        .updateTable('sip_endpoints')
        .set(changes)
        .where('endpoint_id', '=', endpointId)
        .execute();
    },
    async remove(write, account, endpointId) {
      const tables = tablesOf(write);
      const deleted = await tables
        .deleteFrom('sip_endpoints')
        .where('endpoint_id', '=', endpointId)
        .where(viewOf(account), '=', account.authId)
        .returning(['account', 'main_account'])
        .executeTakeFirst();
      if (deleted === undefined) return false;
      await tables.deleteFrom('sip_bindings').where('endpoint_id', '=', endpointId).execute();
      await tables.deleteFrom('sip_instances').where('endpoint_id', '=', endpointId).execute();
      await changeTotals(write, deleted.main_account, deleted.account, -1);
      return true;
    },
    async removeAttached(write, account, applicationId) {
      const tables = tablesOf(write);
      const attached = tables
        .selectFrom('sip_endpoints')
        .select('endpoint_id')
        .where('application_id', '=', applicationId)
        .where(viewOf(account), '=', account.authId);
      await tables.deleteFrom('sip_bindings').where('endpoint_id', 'in', attached).execute();
      await tables.deleteFrom('sip_instances').where('endpoint_id', 'in', attached).execute();
      const deleted = await tables
        .deleteFrom('sip_endpoints')
        .where('endpoint_id', 'in', attached)
        .returning('account')
        .execute();
      const perOwner = new Map<string, number>();
      for (const { account: owner } of deleted) perOwner.set(owner, (perOwner.get(owner) ?? 0) + 1);
      for (const [owner, count] of perOwner) await changeTotals(write, account.main, owner, -count);
    },
    async reattach(write, applicationIds, to) {
      await tablesOf(write)
        .updateTable('sip_endpoints')
        .set({ application_id: to })
        .where('application_id', 'in', applicationIds)
        .execute();
    },
    async removeAll(write, subaccount) {
      const tables = tablesOf(write);
      const owned = tables
        .selectFrom('sip_endpoints')
        .select('endpoint_id')
        .where('account', '=', subaccount);
      await tables.deleteFrom('sip_bindings').where('endpoint_id', 'in', owned).execute();
      await tables.deleteFrom('sip_instances').where('endpoint_id', 'in', owned).execute();
      const deleted = await tables
        .deleteFrom('sip_endpoints')
        .where('account', '=', subaccount)
        .returning('main_account')
        .execute();
      const main = deleted[0]?.main_account;
      if (main !== undefined) await write.executeQuery(queries.changeTotal(main, -deleted.length));
      await forgetTotal(write, subaccount);
    },
    async passOn(write, subaccount, main) {
      // The main account counted them as its own before.
      await tablesOf(write)
        .updateTable('sip_endpoints')
        .set({ account: main })
        .where('account', '=', subaccount)
        .execute();
      await forgetTotal(write, subaccount);
    },
  };
}
