import type { LiveCallItem } from '@jackfield/contract/console';
import type { Database } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { viewOf } from '../accounts/index.ts';
import { tablesOf } from './tables.ts';
import { liveItemOf } from './views.ts';

/** What the record of a live call says; its quality is not part of it. */
export type LiveCallRecord = Omit<LiveCallItem, 'quality'>;

/** Live calls of a viewer in the order of their UUIDs, behind `after`. */
export function createLiveCalls(database: Pick<Database, 'read'>) {
  const tables = tablesOf(database.read);
  return async (
    viewer: Pick<RequestAccount, 'authId' | 'isSubaccount'>,
    after: string,
    limit: number,
  ): Promise<readonly LiveCallRecord[]> => {
    const rows = await tables
      .selectFrom('calls')
      .selectAll()
      .where(viewOf(viewer), '=', viewer.authId)
      .where('ended_at', 'is', null)
      .where('call_uuid', '>', after)
      .orderBy('call_uuid')
      .limit(limit)
      .execute();
    return rows.map(liveItemOf);
  };
}
