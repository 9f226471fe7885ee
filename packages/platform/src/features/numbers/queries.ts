import type { NumberListQuery, ShownNumber } from '@jackfield/contract';
import type { RequestAccount } from '../../http/index.ts';
import { answerPage, type List } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { subaccountUri } from '../../kernel/subaccount-uri.ts';
import { dateOnly } from '../../kernel/timestamps.ts';
import { type AttachableApplications, canonical } from './commands.ts';
import type { NumberStore } from './store.ts';
import type { NumberRow } from './tables.ts';

export interface QueryDeps {
  readonly store: NumberStore;
  readonly applications: Pick<AttachableApplications, 'seenAmong'>;
}

export async function readNumber(
  { store, applications }: QueryDeps,
  account: RequestAccount,
  number: string,
): Promise<Result<ShownNumber>> {
  const row = await store.find(account, canonical(number));
  if (row === undefined) return refused(notFound('number', number));
  return accepted(shown(account, row, await applications.seenAmong(account, [row.app_id])));
}

export async function readNumbers(
  { store, applications }: QueryDeps,
  account: RequestAccount,
  query: NumberListQuery,
): Promise<Result<List<ShownNumber>>> {
  const { subaccount, trunk_id, app_id } = query;
  let seen: SeenApplications = new Set();
  return answerPage(
    { query, path: `/v1/Account/${account.authId}/Number/` },
    async (page) => {
      const found = await store.listWhere(account, { account: subaccount, trunk_id, app_id }, page);
      const attached = found.rows.map((row) => row.app_id);
      seen = await applications.seenAmong(account, attached);
      return found;
    },
    (row) => shown(account, row, seen),
  );
}

type SeenApplications = ReadonlySet<string | null>;

function shown(viewer: RequestAccount, row: NumberRow, seen: SeenApplications): ShownNumber {
  const account = `/v1/Account/${viewer.authId}`;
  const digits = row.number.slice(1);
  return {
    number: digits,
    alias: row.alias,
    application: !seen.has(row.app_id) ? null : `${account}/Application/${row.app_id}/`,
    trunk_id: row.trunk_id,
    sub_account: subaccountUri(row.account, row.main_account),
    added_on: dateOnly(row.created_at),
    voice_enabled: true,
    resource_uri: `${account}/Number/${digits}/`,
  };
}
