import type { Database } from '@jackfield/ports';
import { viewOf } from '../../accounts/index.ts';
import type { LaterCalls } from '../../calls/index.ts';
import { reading } from '../tables.ts';

type Viewer = Parameters<LaterCalls['homeOf']>[0];

/** Phones that wait for their `delay_dial`: calls that are dialled later. `cancel` cancels those of a request at its multiparty call. */
export function createPendingPhones(
  database: Pick<Database, 'read'>,
  cancel: (mpcUuid: string, requestUuid: string) => Promise<boolean>,
): LaterCalls {
  const tables = reading(database.read);

  /** The multiparty call with phones of this request that may still join. */
  const callOf = (viewer: Viewer, requestUuid: string) =>
    tables
      .selectFrom('multiparty_participants as pending')
      .innerJoin('multiparty_calls', 'multiparty_calls.mpc_uuid', 'pending.mpc_uuid')
      .select(['multiparty_calls.mpc_uuid', 'multiparty_calls.incarnation'])
      .where('pending.request_uuid', '=', requestUuid)
      .where('pending.joined_at', 'is', null)
      .where('pending.exited_at', 'is', null)
      .where(viewOf(viewer), '=', viewer.authId)
      .executeTakeFirst();

  return {
    async homeOf(viewer, requestUuid) {
      const call = await callOf(viewer, requestUuid);
      return call && Number(call.incarnation);
    },
    async cancel(viewer, requestUuid) {
      const call = await callOf(viewer, requestUuid);
      return call !== undefined && cancel(call.mpc_uuid, requestUuid);
    },
  };
}
