import type { Database } from '@jackfield/ports';
import { sql } from 'kysely';
import type { Search } from '../../feature.ts';
import { viewOf } from '../accounts/index.ts';
import type { SipEndpointsTables } from './tables.ts';

// Sorts behind every character of a username, so that it ends the range of a beginning.
const behindUsernames = '{';

/** Endpoints by endpoint_id, or by the beginning of their username. */
export function searchEndpoints({ read, dialect }: Pick<Database, 'read' | 'dialect'>): Search {
  const tables = read.withTables<SipEndpointsTables>();
  // The order of the index; that of the column follows the locale on PostgreSQL.
  const username = dialect === 'postgres' ? sql<string>`username COLLATE "C"` : sql<string>`username`;
  return async (viewer, { text }, limit) => {
    const seen = tables
      .selectFrom('sip_endpoints')
      .select(['endpoint_id', 'username', 'alias'])
      .where(viewOf(viewer), '=', viewer.authId);
    const [byId, byName] = await Promise.all([
      seen.where('endpoint_id', '=', text).execute(),
      seen
        .where(username, '>=', text)
        .where(username, '<', text + behindUsernames)
        .orderBy(username)
        .limit(limit)
        .execute(),
    ]);
    const once = new Map([...byId, ...byName].map((row) => [row.endpoint_id, row]));
    return [...once.values()].map((row) => ({
      kind: 'endpoint',
      id: row.endpoint_id,
      title: row.alias === '' ? row.username : `${row.username} (${row.alias})`,
      at: null,
      path: `Endpoint/${row.endpoint_id}/`,
    }));
  };
}
