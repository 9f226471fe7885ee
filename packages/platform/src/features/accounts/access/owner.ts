import type { Write } from '@jackfield/ports';
import { RefusedRequest, type RequestAccount, unauthenticated } from '../../../http/index.ts';
import type { AccountsTables } from '../store.ts';

/**
 * Whether this account may own what the transaction creates. Main accounts are never deleted. The removal of a subaccount deletes
 * its row and what it owns in one transaction: SQLite runs it before or after this transaction, on PostgreSQL the locked row
 * lets one of both wait.
 */
async function isThere(write: Write, account: string, main: string): Promise<boolean> {
  if (account === main) return true;
  const row = await write
    .withTables<AccountsTables>()
    .selectFrom('accounts')
    .select('enabled')
    .where('auth_id', '=', account)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** For requests that create: the transaction of a subaccount that was deleted meanwhile is refused like its credentials. */
export async function requireOwner(write: Write, account: string, main: string): Promise<void> {
  if (!(await isThere(write, account, main))) throw new RefusedRequest(unauthenticated);
}

/** For records of live things: those of a subaccount that was deleted meanwhile belong to its main account. */
export async function ownerNow(write: Write, account: string, main: string): Promise<string> {
  return (await isThere(write, account, main)) ? account : main;
}

/** Those of these accounts that have not been deleted: for rows that must not come after the removal of their account. */
export async function presentAccounts(
  write: Write,
  accounts: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await write
    .withTables<AccountsTables>()
    .selectFrom('accounts')
    .select('auth_id')
    .where('auth_id', 'in', accounts)
    .forKeyShare()
    .execute();
  return new Set(rows.map(({ auth_id }) => auth_id));
}

/** The column that holds this account in rows that it may see: a main account sees the rows of its subaccounts as well. */
export const viewOf = ({ isSubaccount }: Pick<RequestAccount, 'isSubaccount'>): 'account' | 'main_account' =>
  isSubaccount ? 'account' : 'main_account';
