import type { Instant, Read } from '@jackfield/ports';
import { type CompiledQuery, sql } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import type { Page } from '../../kernel/pagination.ts';
import { viewOf } from '../accounts/index.ts';
import type { EndpointRow, SipEndpointsTables } from './tables.ts';

/** An endpoint for the API, with one of its live bindings; without a live binding its columns are null. */
export type ShownRow = Pick<
  EndpointRow,
  'endpoint_id' | 'account' | 'main_account' | 'username' | 'alias' | 'application_id' | 'password_md5_sealed'
> & {
  readonly contact: string | null;
  readonly expires_at: number | null;
  readonly user_agent: string | null;
};

/**
 * The most frequent queries of the API. Building a query costs more than running it, so each is built once and run with other
 * parameters, in their order in the query.
 */
export interface EndpointQueries {
  /** One row for each live binding, newest first. */
  one(account: RequestAccount, endpointId: string, now: Instant): CompiledQuery<ShownRow>;
  /** In the order of creation; for each endpoint one row for each live binding, newest first. */
  page(account: RequestAccount, page: Page, now: Instant): CompiledQuery<ShownRow>;
  total(account: string): CompiledQuery<{ total: number }>;
  changeTotal(account: string, change: number): CompiledQuery<unknown>;
  lastStamp(baseName: string): CompiledQuery<{ stamp: number }>;
  insert(row: EndpointRow): CompiledQuery<unknown>;
}

type View = 'account' | 'main_account';

export function endpointQueries(read: Read): EndpointQueries {
  const tables = read.withTables<SipEndpointsTables>();
  const shown = [
    'e.endpoint_id',
    'e.account',
    'e.main_account',
    'e.username',
    'e.alias',
    'e.application_id',
    'e.password_md5_sealed',
    'b.contact',
    'b.expires_at',
    'b.user_agent',
  ] as const;

  const oneOf = (view: View) =>
    tables
      .selectFrom('sip_endpoints as e')
      .leftJoin('sip_bindings as b', (join) =>
        join.onRef('b.endpoint_id', '=', 'e.endpoint_id').on('b.expires_at', '>', 0),
      )
      .select(shown)
      .where('e.endpoint_id', '=', '')
      .where(`e.${view}`, '=', '')
      .orderBy('b.registered_at', 'desc')
      .orderBy('b.contact')
      .compile();

  const pageOf = (view: View) =>
    tables
      // The page is cut before the join; each skipped endpoint costs one step in the index.
      .selectFrom((of) =>
        of
          .selectFrom('sip_endpoints')
          .selectAll()
          .where(view, '=', '')
          .orderBy('position')
          .limit(1)
          .offset(1)
          .as('e'),
      )
      .leftJoin('sip_bindings as b', (join) =>
        join.onRef('b.endpoint_id', '=', 'e.endpoint_id').on('b.expires_at', '>', 0),
      )
      .select(shown)
      .orderBy('e.position')
      .orderBy('b.registered_at', 'desc')
      .orderBy('b.contact')
      .compile();

  const one = { account: oneOf('account'), main_account: oneOf('main_account') };
  const page = { account: pageOf('account'), main_account: pageOf('main_account') };
  const total = tables.selectFrom('sip_endpoint_totals').select('total').where('account', '=', '').compile();
  const changeTotal = tables
    .insertInto('sip_endpoint_totals')
    .values({ account: '', total: 0 })
    .onConflict((on) =>
      on.column('account').doUpdateSet({ total: sql<number>`sip_endpoint_totals.total + excluded.total` }),
    )
    .compile();
  const lastStamp = tables
    .selectFrom('sip_endpoints')
    .select('stamp')
    .where('base_name', '=', '')
    .orderBy('stamp', 'desc')
    .limit(sql.lit(1))
    .compile();
  const insert = tables.insertInto('sip_endpoints').values(emptyRow).compile();

  return {
    one: (account, endpointId, now) => ({
      ...one[viewOf(account)],
      parameters: [now, endpointId, account.authId],
    }),
    page: (account, { limit, offset }, now) => ({
      ...page[viewOf(account)],
      parameters: [account.authId, limit, offset, now],
    }),
    total: (account) => ({ ...total, parameters: [account] }),
    changeTotal: (account, change) => ({ ...changeTotal, parameters: [account, change] }),
    lastStamp: (baseName) => ({ ...lastStamp, parameters: [baseName] }),
    insert: (row) => ({ ...insert, parameters: insertedColumns.map((column) => row[column]) }),
  };
}

const emptyRow: EndpointRow = {
  endpoint_id: '',
  account: '',
  main_account: '',
  username: '',
  base_name: '',
  stamp: 0,
  alias: '',
  application_id: '',
  password_md5_sealed: '',
  ha1_md5: '',
  ha1_sha256: '',
  created_at: 0,
};
const insertedColumns = Object.keys(emptyRow) as readonly (keyof EndpointRow)[];
