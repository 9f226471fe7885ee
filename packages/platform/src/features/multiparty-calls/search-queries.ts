import type { Database } from '@jackfield/ports';
import type { Search } from '../../feature.ts';
import { isFriendlyName } from './domain/friendly-name.ts';
import { reading } from './tables.ts';

/** Multiparty calls by UUID or by their whole name, the newest. */
export function searchMultipartyCalls(database: Pick<Database, 'read'>): Search {
  return async (viewer, { text, uuid }, limit) => {
    if (uuid === undefined && !isFriendlyName(text)) return [];
    // The index by name begins with the main account.
    let matching = reading(database.read)
      .selectFrom('multiparty_calls')
      .select(['mpc_uuid', 'friendly_name', 'created_at'])
      .where('main_account', '=', viewer.main)
      .where(uuid === undefined ? 'friendly_name' : 'mpc_uuid', '=', uuid ?? text);
    if (viewer.isSubaccount) matching = matching.where('account', '=', viewer.authId);
    const rows = await matching.orderBy('created_at', 'desc').limit(limit).execute();
    return rows.map(({ mpc_uuid, friendly_name, created_at }) => ({
      kind: 'multiparty-call',
      id: mpc_uuid,
      title: friendly_name,
      at: created_at,
      path: `MultiPartyCall/uuid_${mpc_uuid}/`,
    }));
  };
}
