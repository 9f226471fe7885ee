import type { Endpoint, EndpointRegistration } from '@jackfield/contract';
import type { Clock, Secrets } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { answerPage, type List } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { subaccountUri } from '../../kernel/subaccount-uri.ts';
import { timestamp } from '../../kernel/timestamps.ts';
import type { AttachableApplications } from './commands.ts';
import type { ShownRow } from './endpoint-queries.ts';
import type { EndpointStore } from './store.ts';

export interface QueryDeps {
  readonly store: EndpointStore;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** The domain in `sip_uri`. */
  readonly realm: string;
  readonly applications: Pick<AttachableApplications, 'seenAmong'>;
}

export async function readEndpoint(
  deps: QueryDeps,
  account: RequestAccount,
  endpointId: string,
): Promise<Result<Endpoint & { password: string }>> {
  const row = await deps.store.find(account, endpointId, deps.clock.now());
  if (row === undefined) return refused(notFound('endpoint', endpointId));
  const seen = await deps.applications.seenAmong(account, [row.application_id]);
  return accepted({
    ...endpointOf(deps, account, row, seen),
    password: deps.secrets.decrypt(row.password_md5_sealed),
  });
}

/** The devices on which an endpoint is registered, the newest first. */
export async function readRegistrations(
  { store, clock }: QueryDeps,
  account: RequestAccount,
  endpointId: string,
): Promise<Result<{ objects: EndpointRegistration[] }>> {
  const rows = await store.devices(account, endpointId, clock.now());
  if (rows === undefined) return refused(notFound('endpoint', endpointId));
  const wall = (at: number): string => timestamp(at - clock.now() + clock.wallNow());
  const objects = rows.map((row) => ({
    contact: row.contact!,
    transport: row.transport === '' ? null : row.transport,
    source: row.source === '' ? null : row.source,
    user_agent: row.user_agent!,
    instance: row.instance === '' ? null : row.instance!.slice(1, -1),
    registered: wall(row.registered_at!),
    expires: wall(row.expires_at!),
  }));
  return accepted({ objects });
}

/** In the order of creation, so that a page stays the same when endpoints are added. */
export async function readEndpoints(
  deps: QueryDeps,
  account: RequestAccount,
  query: object,
): Promise<Result<List<Endpoint>>> {
  let seen: SeenApplications = new Set();
  return answerPage(
    { query, path: `/v1/Account/${account.authId}/Endpoint/` },
    async (page) => {
      const rows = await deps.store.list(account, page, deps.clock.now());
      const attached = rows.map(({ application_id }) => application_id);
      seen = await deps.applications.seenAmong(account, attached);
      return { total: await deps.store.total(account), rows };
    },
    (row) => endpointOf(deps, account, row, seen),
  );
}

type SeenApplications = ReadonlySet<string | null>;

function endpointOf(
  { realm, clock }: QueryDeps,
  viewer: RequestAccount,
  row: ShownRow,
  seen: SeenApplications,
): Endpoint {
  const account = `/v1/Account/${viewer.authId}`;
  return {
    endpoint_id: row.endpoint_id,
    username: row.username,
    alias: row.alias,
    sip_uri: `sip:${row.username}@${realm}`,
    ...(row.contact === null
      ? { sip_registered: 'false' as const }
      : {
          sip_registered: 'true' as const,
          sip_contact: row.contact,
          sip_expires: timestamp(row.expires_at! - clock.now() + clock.wallNow()),
          sip_user_agent: row.user_agent!,
        }),
    application: !seen.has(row.application_id) ? null : `${account}/Application/${row.application_id}/`,
    sub_account: subaccountUri(row.account, row.main_account),
    resource_uri: `${account}/Endpoint/${row.endpoint_id}/`,
  };
}
