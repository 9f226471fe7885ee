import type { Endpoint } from '@jackfield/contract';
import type { RequestAccount } from '../../http/index.ts';
import type { Instant } from '../../kernel/machine.ts';
import { type Page, type PageMeta, pageMeta } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { timestamp } from '../../kernel/timestamps.ts';
import type { Database } from '../../ports/database.ts';
import type { Binding } from '../../ports/registrations.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { bindingOf, bindingsOfMany } from './bindings-store.ts';
import { type EndpointRow, findEndpoint, listEndpoints, type SipEndpointsTables, totalOf } from './store.ts';

export interface QueryDeps {
  readonly database: Database;
  readonly secrets: Secrets;
  /** The domain in `sip_uri`. */
  readonly realm: string;
}

export async function readEndpoint(
  deps: QueryDeps,
  account: RequestAccount,
  endpointId: string,
  now: Instant,
): Promise<Result<Endpoint & { password: string }>> {
  const tables = deps.database.read.withTables<SipEndpointsTables>();
  const row = await findEndpoint(tables, account, endpointId);
  if (row === undefined) return refused(notFound('endpoint', endpointId));
  const newest = (await bindingsOfMany(tables, [endpointId], now))[0];
  return accepted({
    ...endpointOf(deps, account, row, newest && bindingOf(newest)),
    password: deps.secrets.decrypt(row.password_md5_sealed),
  });
}

/** In the order of creation, so that a page stays what it was when endpoints are added. */
export async function readEndpoints(
  deps: QueryDeps,
  account: RequestAccount,
  page: Page,
  now: Instant,
): Promise<{ meta: PageMeta; objects: Endpoint[] }> {
  const tables = deps.database.read.withTables<SipEndpointsTables>();
  const total = await totalOf(tables, account.authId);
  const rows = await listEndpoints(tables, account, page);
  const bindings = await bindingsOfMany(
    tables,
    rows.map((row) => row.endpoint_id),
    now,
  );
  const newest = new Map<string, Binding | undefined>();
  for (const row of bindings) {
    if (!newest.has(row.endpoint_id)) newest.set(row.endpoint_id, bindingOf(row));
  }
  return {
    meta: pageMeta(page, total, `/v1/Account/${account.authId}/Endpoint/`),
    objects: rows.map((row) => endpointOf(deps, account, row, newest.get(row.endpoint_id))),
  };
}

function endpointOf(
  { realm }: QueryDeps,
  viewer: RequestAccount,
  row: EndpointRow,
  newest: Binding | undefined,
): Endpoint {
  const account = `/v1/Account/${viewer.authId}`;
  return {
    endpoint_id: row.endpoint_id,
    username: row.username,
    alias: row.alias,
    sip_uri: `sip:${row.username}@${realm}`,
    ...(newest === undefined
      ? { sip_registered: 'false' as const }
      : {
          sip_registered: 'true' as const,
          sip_contact: newest.contact,
          sip_expires: timestamp(newest.expiresAt),
          sip_user_agent: newest.userAgent,
        }),
    application: row.application_id === null ? null : `${account}/Application/${row.application_id}/`,
    sub_account: row.account === row.main_account ? null : row.account,
    resource_uri: `${account}/Endpoint/${row.endpoint_id}/`,
  };
}
