import type { Database } from '@jackfield/ports';
import type { Search } from '../../feature.ts';
import { reading } from './tables.ts';

/** Sessions by UUID or by recipient, the newest. */
export function searchVerifySessions(database: Pick<Database, 'read'>): Search {
  return async (viewer, { uuid, number }, limit) => {
    const named = uuid ?? number;
    if (named === undefined) return [];
    // The index by recipient begins with the main account.
    let matching = reading(database.read)
      .selectFrom('verify_sessions')
      .select(['session_uuid', 'recipient', 'created_at'])
      .where('main_account', '=', viewer.main)
      .where(uuid === undefined ? 'recipient' : 'session_uuid', '=', named);
    if (viewer.isSubaccount) matching = matching.where('account', '=', viewer.authId);
    const rows = await matching.orderBy('created_at', 'desc').limit(limit).execute();
    return rows.map(({ session_uuid, recipient, created_at }) => ({
      kind: 'verify-session',
      id: session_uuid,
      title: recipient,
      at: created_at,
      path: `Verify/Session/${session_uuid}/`,
    }));
  };
}
