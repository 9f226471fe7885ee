import type { Database } from '@jackfield/ports';
import type { RequestAccount } from '../../../http/index.ts';
import { viewOf } from '../../accounts/index.ts';
import type { SipEndpointsTables } from '../tables.ts';

/** The username of an endpoint that the viewer sees. */
export function createUsernameOf({ read }: Pick<Database, 'read'>) {
  const tables = read.withTables<SipEndpointsTables>();
  return async (viewer: RequestAccount, endpointId: string): Promise<string | undefined> => {
    const found = await tables
      .selectFrom('sip_endpoints')
      .select('username')
      .where('endpoint_id', '=', endpointId)
      .where(viewOf(viewer), '=', viewer.authId)
      .executeTakeFirst();
    return found?.username;
  };
}
