import type { NumberListQuery, ShownNumber } from '@jackfield/contract';
import type { RequestAccount } from '../../http/index.ts';
import { answerPage, type List } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { subaccountUri } from '../../kernel/subaccount-uri.ts';
import { dateOnly } from '../../kernel/timestamps.ts';
import { canonical } from './commands.ts';
import type { NumberStore } from './store.ts';
import type { NumberRow } from './tables.ts';

export async function readNumber(
  store: NumberStore,
  account: RequestAccount,
  number: string,
): Promise<Result<ShownNumber>> {
  const row = await store.find(account, canonical(number));
  return row === undefined ? refused(notFound('number', number)) : accepted(shown(account, row));
}

export async function readNumbers(
  store: NumberStore,
  account: RequestAccount,
  query: NumberListQuery,
): Promise<Result<List<ShownNumber>>> {
  const { subaccount, trunk_id, app_id } = query;
  return answerPage(
    { query, path: `/v1/Account/${account.authId}/Number/` },
    (page) => store.listWhere(account, { account: subaccount, trunk_id, app_id }, page),
    (row) => shown(account, row),
  );
}

function shown(viewer: RequestAccount, row: NumberRow): ShownNumber {
  const account = `/v1/Account/${viewer.authId}`;
  const digits = row.number.slice(1);
  return {
    number: digits,
    alias: row.alias,
    application: row.app_id === null ? null : `${account}/Application/${row.app_id}/`,
    trunk_id: row.trunk_id,
    sub_account: subaccountUri(row.account, row.main_account),
    added_on: dateOnly(row.created_at),
    voice_enabled: true,
    resource_uri: `${account}/Number/${digits}/`,
  };
}
