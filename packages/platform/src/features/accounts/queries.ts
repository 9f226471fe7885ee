import type { Account, Subaccount } from '@jackfield/contract';
import type { Database, Secrets } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { answerPage, type List } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { dateOnly } from '../../kernel/timestamps.ts';
import {
  type AccountRow,
  type AccountsTables,
  findAccount,
  findSubaccount,
  listSubaccounts,
} from './store.ts';

interface QueryDeps {
  readonly database: Database;
  readonly secrets: Secrets;
}

export async function readAccount(
  { database }: QueryDeps,
  account: RequestAccount,
): Promise<Result<Account>> {
  const row = await findAccount(database.read.withTables<AccountsTables>(), account.authId);
  if (row === undefined) return refused(notFound('account', account.authId));
  return accepted({
    account_type: row.parent === null ? 'standard' : 'subaccount',
    address: row.address,
    auth_id: row.auth_id,
    auto_recharge: false,
    billing_mode: 'prepaid',
    cash_credits: '0.00000',
    city: row.city,
    name: row.name,
    state: '',
    timezone: row.timezone,
    resource_uri: `/v1/Account/${row.auth_id}/`,
  });
}

export async function readSubaccount(
  deps: QueryDeps,
  account: RequestAccount,
  authId: string,
  showsToken: boolean,
): Promise<Result<Subaccount>> {
  const row = await findSubaccount(deps.database.read.withTables<AccountsTables>(), account.authId, authId);
  return row === undefined
    ? refused(notFound('subaccount', authId))
    : accepted(subaccountOf(deps, row, showsToken));
}

/** In the order of creation, so that a page does not change when subaccounts are added. */
export async function readSubaccounts(
  deps: QueryDeps,
  account: RequestAccount,
  query: object,
  showsToken: boolean,
): Promise<Result<List<Subaccount>>> {
  const tables = deps.database.read.withTables<AccountsTables>();
  return answerPage(
    { query, path: `/v1/Account/${account.authId}/Subaccount/` },
    async (page) => ({
      total: (await findAccount(tables, account.authId))?.subaccounts ?? 0,
      rows: await listSubaccounts(tables, account.authId, page),
    }),
    (row) => subaccountOf(deps, row, showsToken),
  );
}

function subaccountOf({ secrets }: QueryDeps, row: AccountRow, showsToken: boolean): Subaccount {
  return {
    account: `/v1/Account/${row.parent}/`,
    auth_id: row.auth_id,
    auth_token: showsToken ? secrets.decrypt(row.token_sealed) : null,
    new_auth_token: null,
    created: dateOnly(row.created_at),
    modified: row.modified_at === null ? null : dateOnly(row.modified_at),
    enabled: row.enabled === 1,
    name: row.name,
    resource_uri: `/v1/Account/${row.parent}/Subaccount/${row.auth_id}/`,
  };
}
