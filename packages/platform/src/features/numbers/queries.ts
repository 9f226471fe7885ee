import type { NumberListQuery, ShownNumber } from '@jackfield/contract';
import { linkFilters, type RequestAccount } from '../../http/index.ts';
import { type PageMeta, pageMeta, parsePage } from '../../kernel/pagination.ts';
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
): Promise<Result<{ readonly meta: PageMeta; readonly objects: ShownNumber[] }>> {
  const page = parsePage(query);
  if (!page.ok) return page;
  const { subaccount, trunk_id, app_id } = query;
  const { total, rows } = await store.list(account, { account: subaccount, trunk_id, app_id }, page.value);
  const path = `/v1/Account/${account.authId}/Number/`;
  return accepted({
    meta: pageMeta(page.value, total, path, linkFilters(query)),
    objects: rows.map((row) => shown(account, row)),
  });
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
