import { type LiveRoomItem, maxLiveMembers } from '@jackfield/contract/console';
import type { Database } from '@jackfield/ports';
import { viewOf } from '../accounts/index.ts';
import type { Viewer } from './queries.ts';
import { type MultipartyCallRow, type ParticipantRow, reading } from './tables.ts';
import { liveRoomOf } from './views.ts';

/** Live calls of a viewer in the order of their UUIDs, behind `after`; each with its first members. */
export function createLiveRooms(database: Pick<Database, 'read'>) {
  const tables = reading(database.read);

  function membersOf({ mpc_uuid }: MultipartyCallRow): Promise<readonly ParticipantRow[]> {
    return tables
      .selectFrom('multiparty_participants')
      .selectAll()
      .where('mpc_uuid', '=', mpc_uuid)
      .where('exited_at', 'is', null)
      .orderBy('member_id')
      .limit(maxLiveMembers + 1)
      .execute();
  }

  return async (viewer: Viewer, after: string, limit: number): Promise<readonly LiveRoomItem[]> => {
    const rows = await tables
      .selectFrom('multiparty_calls')
      .selectAll()
      .where(viewOf(viewer), '=', viewer.authId)
      .where('ended_at', 'is', null)
      .where('mpc_uuid', '>', after)
      .orderBy('mpc_uuid')
      .limit(limit)
      .execute();
    return Promise.all(rows.map(async (row) => liveRoomOf(row, await membersOf(row))));
  };
}
