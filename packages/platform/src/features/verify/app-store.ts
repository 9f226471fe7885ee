import type { Database, Instant, Secrets, Write } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import type { Page } from '../../kernel/pagination.ts';
import { requireOwner, viewOf } from '../accounts/index.ts';
import { type AppRow, reading, writing } from './tables.ts';

/**
 * SQL of the apps. A subaccount has its own; a main account sees the apps of its subaccounts too. Reads see the last commit; writes run in
 * the caller's transaction.
 */
export interface AppStore {
  /** Undefined for an app that the account may not use. */
  find(account: RequestAccount, app: string): Promise<AppRow | undefined>;
  /** The app of sessions that name none; created at first use. */
  ensureDefault(account: RequestAccount, now: Instant): Promise<AppRow>;
  /** Newest first. */
  list(
    account: RequestAccount,
    page: Page,
  ): Promise<{ readonly total: number; readonly rows: readonly AppRow[] }>;
  /** As `find`, inside a transaction; locks the row until its end. */
  read(write: Write, account: RequestAccount, app: string): Promise<AppRow | undefined>;
  insert(write: Write, app: AppRow): Promise<void>;
  change(write: Write, app: AppRow, changes: Partial<AppSettings>): Promise<void>;
  remove(write: Write, app: AppRow): Promise<void>;
}

export type AppSettings = Omit<AppRow, 'app_uuid' | 'account' | 'main_account' | 'created_at'>;

/** docs/interface/verify.md#sessions: the hosted service sends six digits by default. */
export const appDefaults = {
  brand_name: '',
  code_length: 6,
  code_expiry: 10,
  max_attempts: 5,
  max_validations: 5,
  sms_template: '',
  app_hash: '',
  sender: '',
  fraud_shield: 'medium',
  allowed_countries: '',
  voice_fallback: 0,
} as const satisfies Partial<AppRow>;

export function createAppStore(database: Database, secrets: Pick<Secrets, 'randomUuid'>): AppStore {
  const tables = reading(database.read);
  const owned = (account: RequestAccount, from = tables) =>
    from.selectFrom('verify_apps').where(viewOf(account), '=', account.authId);
  const one = (account: RequestAccount, app: string, from = tables) =>
    owned(account, from).selectAll().where('app_uuid', '=', app.toLowerCase());

  const defaultOf = (account: string) =>
    tables
      .selectFrom('verify_apps')
      .selectAll()
      .where('account', '=', account)
      .where('is_default', '=', 1)
      .executeTakeFirst();

  return {
    find: (account, app) => one(account, app).executeTakeFirst(),

    read: (write, account, app) => one(account, app, writing(write)).forUpdate().executeTakeFirst(),

    async ensureDefault(account, now) {
      const known = await defaultOf(account.authId);
      if (known !== undefined) return known;
      const app: AppRow = {
        ...appDefaults,
        app_uuid: secrets.randomUuid(),
        account: account.authId,
        main_account: account.main,
        alias: 'Default',
        is_default: 1,
        created_at: now,
      };
      await database.transact(async (write) => {
        await requireOwner(write, app.account, app.main_account);
        await writing(write)
          .insertInto('verify_apps')
          .values(app)
          .onConflict((on) => on.doNothing())
          .execute();
      });
      // A concurrent request may have created it.
      return (await defaultOf(account.authId)) ?? app;
    },

    async list(account, page) {
      const [counted, rows] = await Promise.all([
        owned(account)
          .select((columns) => columns.fn.countAll().as('total'))
          .executeTakeFirstOrThrow(),
        owned(account)
          .selectAll()
          .orderBy('created_at', 'desc')
          .orderBy('app_uuid', 'desc')
          .limit(page.limit)
          .offset(page.offset)
          .execute(),
      ]);
      return { total: Number(counted.total), rows };
    },

    async insert(write, app) {
      await requireOwner(write, app.account, app.main_account);
      if (app.is_default === 1) await replaceDefault(write, app);
      await writing(write).insertInto('verify_apps').values(app).execute();
    },

    async change(write, app, changes) {
      if (Object.keys(changes).length === 0) return;
      if (changes.is_default === 1) await replaceDefault(write, app);
      await writing(write)
        .updateTable('verify_apps')
        .set(changes)
        .where('app_uuid', '=', app.app_uuid)
        .execute();
    },

    async remove(write, app) {
      await writing(write).deleteFrom('verify_apps').where('app_uuid', '=', app.app_uuid).execute();
    },
  };
}

/** An account has one default app: the former one loses the mark. */
async function replaceDefault(write: Write, { account, app_uuid }: AppRow): Promise<void> {
  await writing(write)
    .updateTable('verify_apps')
    .set({ is_default: 0 })
    .where('account', '=', account)
    .where('is_default', '=', 1)
    .where('app_uuid', '!=', app_uuid)
    .execute();
}
