import type { Database, Write } from '@jackfield/ports';
import { type CompiledQuery, sql } from 'kysely';
import type { RequestAccount } from '../../../http/index.ts';
import { viewOf } from '../../accounts/index.ts';
import { tablesOf } from '../tables.ts';

/** Look-ups for endpoints and numbers; the first two in the transaction that attaches an application. */
export interface AttachableApplications {
  /** Whether the account sees it. */
  exists(write: Write, account: RequestAccount, applicationId: string): Promise<boolean>;
  /** The application with default_endpoint_app of exactly this account. */
  defaultOf(write: Write, account: string): Promise<string | undefined>;
  /**
   * Those of the attached applications that the account sees. An application that has moved, or that its main account attached, answers for
   * a subaccount that cannot open it.
   */
  seenAmong(
    account: RequestAccount,
    attached: readonly (string | null)[],
  ): Promise<ReadonlySet<string | null>>;
}

/** Needs the database alone, so that endpoints and applications use each other without a circle. */
export function attachableApplications({ read }: Pick<Database, 'read'>): AttachableApplications {
  const tables = tablesOf(read);
  const existing = (view: 'account' | 'main_account') =>
    tables
      .selectFrom('applications')
      .select('app_id')
      .where('app_id', '=', '')
      .where(view, '=', '')
      .compile();
  // Endpoints are created by the thousand: building these costs more than running them.
  const seen = { account: existing('account'), main_account: existing('main_account') };
  const ofAccount = tables
    .selectFrom('applications')
    .select('app_id')
    .where('account', '=', '')
    // Literal: with a parameter the partial index would not be used.
    .where('default_endpoint_app', '=', sql.lit(1))
    .compile();

  return {
    async exists(write, account, applicationId) {
      const query = { ...seen[viewOf(account)], parameters: [applicationId, account.authId] };
      return (await write.executeQuery(query)).rows.length > 0;
    },
    async defaultOf(write, account) {
      const query: CompiledQuery<{ app_id: string }> = { ...ofAccount, parameters: [account] };
      return (await write.executeQuery(query)).rows[0]?.app_id;
    },
    async seenAmong(account, attached) {
      const ids = [...new Set(attached.filter((id) => id !== null))];
      // A main account sees those of its subaccounts, and no others are attached.
      if (!account.isSubaccount || ids.length === 0) return new Set(ids);
      const own = tables.selectFrom('applications').select('app_id').where('account', '=', account.authId);
      const found = await own.where('app_id', 'in', ids).execute();
      return new Set(found.map(({ app_id }) => app_id));
    },
  };
}
