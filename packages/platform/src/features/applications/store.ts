import type { Database, Write } from '@jackfield/ports';
import { sql } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import { createAccountTotals } from '../../kernel/account-totals.ts';
import type { Page } from '../../kernel/pagination.ts';
import { requireOwner } from '../accounts/index.ts';
import type { ApplicationSettings } from './settings.ts';
import { type ApplicationRow, tablesOf, viewOf } from './tables.ts';

export type Application = ApplicationSettings &
  Omit<ApplicationRow, keyof ApplicationSettings> & { readonly account: string };

export interface ApplicationFilters {
  readonly namePrefix: string | undefined;
  readonly subaccount: string | undefined;
}

/** SQL of the applications. Reads see the last commit; what writes takes the transaction it belongs to. */
export interface ApplicationStore {
  find(account: RequestAccount, appId: string): Promise<Application | undefined>;
  /** Newest first. */
  list(
    account: RequestAccount,
    filters: ApplicationFilters,
    page: Page,
  ): Promise<{ readonly total: number; readonly objects: readonly Application[] }>;
  /** As `find`, inside a transaction. */
  read(write: Write, account: RequestAccount, appId: string): Promise<Application | undefined>;
  insert(write: Write, application: Application): Promise<void>;
  save(write: Write, before: Application, after: Application): Promise<void>;
  remove(write: Write, application: Application): Promise<void>;
  /** Everything that a subaccount owns; gives the identifiers of what is gone. */
  removeAll(write: Write, subaccount: string): Promise<readonly string[]>;
  passOn(write: Write, subaccount: string, main: string): Promise<void>;
}

// Behind every character that a name can have, so that it ends the range of a prefix.
const behindNames = '{';

export function createApplicationStore({ read }: Pick<Database, 'read'>): ApplicationStore {
  const tables = tablesOf(read);
  const totals = createAccountTotals(read, 'application_totals');

  /** An account has one default of each kind: the one that is set takes the place of the one before. */
  async function giveWay(write: Write, { account, app_id, ...next }: Application): Promise<void> {
    for (const kind of ['default_number_app', 'default_endpoint_app'] as const) {
      if (!next[kind]) continue;
      await tablesOf(write)
        .updateTable('applications')
        .set({ [kind]: 0 })
        .where('account', '=', account)
        .where(kind, '=', sql.lit(1))
        .where('app_id', '!=', app_id)
        .execute();
    }
  }

  function one(from: typeof tables, account: RequestAccount, appId: string) {
    return from
      .selectFrom('applications')
      .selectAll()
      .where('app_id', '=', appId)
      .where(viewOf(account), '=', account.authId)
      .executeTakeFirst();
  }

  return {
    async find(account, appId) {
      const row = await one(tables, account, appId);
      return row && applicationOf(row);
    },

    async list(account, { namePrefix, subaccount }, page) {
      let wanted = tables.selectFrom('applications').where(viewOf(account), '=', account.authId);
      if (subaccount !== undefined) wanted = wanted.where('account', '=', subaccount);
      if (namePrefix !== undefined) {
        wanted = wanted.where('app_name', '>=', namePrefix).where('app_name', '<', namePrefix + behindNames);
      }
      const isPlain = namePrefix === undefined && subaccount === undefined;
      const total = isPlain
        ? await totals.of(account.authId)
        : (await wanted.select((columns) => columns.fn.countAll().as('total')).executeTakeFirst())?.total;
      const rows = await wanted
        .selectAll()
        .orderBy('position', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      return { total: Number(total ?? 0), objects: rows.map(applicationOf) };
    },

    async read(write, account, appId) {
      const row = await one(tablesOf(write), account, appId);
      return row && applicationOf(row);
    },

    async insert(write, application) {
      await requireOwner(write, application.account, application.main_account);
      await totals.change(write, application, 1);
      await giveWay(write, application);
      await tablesOf(write).insertInto('applications').values(rowOf(application)).execute();
    },

    async save(write, before, after) {
      if (before.account !== after.account) {
        await requireOwner(write, after.account, after.main_account);
        await totals.change(write, before, -1);
        await totals.change(write, after, 1);
      }
      await giveWay(write, after);
      await tablesOf(write)
        .updateTable('applications')
        .set(rowOf(after))
        .where('app_id', '=', before.app_id)
        .execute();
    },

    async remove(write, application) {
      await totals.change(write, application, -1);
      await tablesOf(write).deleteFrom('applications').where('app_id', '=', application.app_id).execute();
    },

    async removeAll(write, subaccount) {
      const deleted = await tablesOf(write)
        .deleteFrom('applications')
        .where('account', '=', subaccount)
        .returning(['app_id', 'main_account'])
        .execute();
      const main = deleted[0]?.main_account;
      if (main !== undefined) await totals.changeOne(write, main, -deleted.length);
      await totals.forget(write, subaccount);
      return deleted.map(({ app_id }) => app_id);
    },

    async passOn(write, subaccount, main) {
      // The main account counted them as its own before, and keeps the defaults that it has.
      await tablesOf(write)
        .updateTable('applications')
        .set({ account: main, default_number_app: 0, default_endpoint_app: 0 })
        .where('account', '=', subaccount)
        .execute();
      await totals.forget(write, subaccount);
    },
  };
}

function applicationOf({ position: _, ...row }: ApplicationRow & { position: number }): Application {
  return {
    ...row,
    default_number_app: row.default_number_app === 1,
    default_endpoint_app: row.default_endpoint_app === 1,
    public_uri: row.public_uri === 1,
    log_incoming_messages: row.log_incoming_messages === 1,
  };
}

function rowOf(application: Application): ApplicationRow {
  return {
    ...application,
    default_number_app: application.default_number_app ? 1 : 0,
    default_endpoint_app: application.default_endpoint_app ? 1 : 0,
    public_uri: application.public_uri ? 1 : 0,
    log_incoming_messages: application.log_incoming_messages ? 1 : 0,
  };
}
