import type { Database, Write } from '@jackfield/ports';
import { sql } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import { createAccountTotals } from '../../kernel/account-totals.ts';
import type { Page } from '../../kernel/pagination.ts';
import { createOwnedRows, viewOf } from '../accounts/index.ts';
import type { ApplicationSettings } from './parameters.ts';
import { type ApplicationRow, tablesOf } from './tables.ts';

export type Application = ApplicationSettings &
  Omit<ApplicationRow, keyof ApplicationSettings> & { readonly account: string };

export interface ApplicationFilters {
  readonly namePrefix: string | undefined;
  readonly subaccount: string | undefined;
}

/** SQL of the applications. Reads see the last commit; writes run in the caller's transaction. */
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
  /** Removes the applications of a subaccount; gives their identifiers. */
  removeAll(write: Write, subaccount: string): Promise<readonly string[]>;
  passOn(write: Write, subaccount: string): Promise<void>;
}

// Sorts behind every character of a name, so that it ends the range of a prefix.
const behindNames = '{';

export function createApplicationStore(database: Pick<Database, 'read' | 'dialect'>): ApplicationStore {
  const tables = tablesOf(database.read);
  const rows = createOwnedRows<ApplicationRow>(database, {
    table: 'applications',
    id: 'app_id',
    totals: createAccountTotals(database.read, 'application_totals'),
  });

  /** Removes the defaults that this application replaces: an account has one default of each kind. */
  async function replaceDefaults(write: Write, { account, app_id, ...next }: Application): Promise<void> {
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

  return {
    async find(account, appId) {
      const row = await rows.find(account, appId);
      return row && applicationOf(row);
    },

    async list(account, { namePrefix, subaccount }, page) {
      if (namePrefix === undefined && subaccount === undefined) {
        const found = await rows.list(account, page);
        return { total: found.total, objects: found.rows.map(applicationOf) };
      }
      let matching = tables.selectFrom('applications').where(viewOf(account), '=', account.authId);
      if (subaccount !== undefined) matching = matching.where('account', '=', subaccount);
      if (namePrefix !== undefined) {
        matching = matching
          .where('app_name', '>=', namePrefix)
          .where('app_name', '<', namePrefix + behindNames);
      }
      const counted = await matching
        .select((columns) => columns.fn.countAll().as('total'))
        .executeTakeFirst();
      const found = await matching
        .selectAll()
        .orderBy('position', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      return {
        total: Number(counted?.total ?? 0),
        objects: found.map(({ position: _, ...row }) => applicationOf(row)),
      };
    },

    async read(write, account, appId) {
      const row = await rows.read(write, account, appId);
      return row && applicationOf(row);
    },

    async insert(write, application) {
      await replaceDefaults(write, application);
      await rows.insert(write, rowOf(application));
    },

    async save(write, before, after) {
      await replaceDefaults(write, after);
      await rows.save(write, rowOf(before), rowOf(after));
    },

    remove: (write, application) => rows.remove(write, rowOf(application)),

    async removeAll(write, subaccount) {
      const deleted = await rows.removeAll(write, subaccount);
      return deleted.map(({ app_id }) => app_id);
    },

    // The main account keeps the defaults that it has.
    passOn: (write, subaccount) =>
      rows.passOn(write, subaccount, { default_number_app: 0, default_endpoint_app: 0 }),
  };
}

function applicationOf(row: ApplicationRow): Application {
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
