import type { Instant, Read } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { viewOf } from '../accounts/index.ts';
import type { SipEndpointsTables } from './tables.ts';

/** One live binding of an endpoint; nulls where it has none. */
export interface DeviceRow {
  readonly contact: string | null;
  readonly instance: string | null;
  readonly user_agent: string | null;
  readonly transport: string | null;
  readonly source: string | null;
  readonly expires_at: number | null;
  readonly registered_at: number | null;
}

/** The live bindings of an endpoint that the account sees, newest first; undefined without the endpoint. */
export async function devicesOf(
  read: Read,
  account: RequestAccount,
  endpointId: string,
  now: Instant,
): Promise<readonly DeviceRow[] | undefined> {
  const rows: DeviceRow[] = await read
    .withTables<SipEndpointsTables>()
    .selectFrom('sip_endpoints as e')
    .leftJoin('sip_bindings as b', (join) =>
      join.onRef('b.endpoint_id', '=', 'e.endpoint_id').on('b.expires_at', '>', now),
    )
    .select([
      'b.contact',
      'b.instance',
      'b.user_agent',
      'b.transport',
      'b.source',
      'b.expires_at',
      'b.registered_at',
    ])
    .where('e.endpoint_id', '=', endpointId)
    .where(`e.${viewOf(account)}`, '=', account.authId)
    .orderBy('b.registered_at', 'desc')
    .orderBy('b.contact')
    .execute();
  return rows.length === 0 ? undefined : rows.filter(({ contact }) => contact !== null);
}
