import type { Database } from '@jackfield/ports';
import type { SipEndpointsTables } from '../tables.ts';

/** Limit of suggestions. */
const most = 3;

/** The first usernames with this beginning, in their order; none for a text that cannot begin a username. */
export function createUsernamesLike({
  read,
}: Pick<Database, 'read'>): (beginning: string) => Promise<readonly string[]> {
  return async (beginning) => {
    if (!/^[A-Za-z][A-Za-z0-9]{0,40}$/.test(beginning)) return [];
    const rows = await read
      .withTables<SipEndpointsTables>()
      .selectFrom('sip_endpoints')
      .select('username')
      .where('username', 'like', `${beginning}%`)
      .orderBy('username')
      .limit(most)
      .execute();
    return rows.map(({ username }) => username);
  };
}
