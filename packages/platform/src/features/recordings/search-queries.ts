import type { Database } from '@jackfield/ports';
import type { Search } from '../../feature.ts';
import { createQueries, listedRecordings, pageOf } from './queries.ts';
import { type RecordingRow, reading } from './tables.ts';

/** Recordings by their own UUID, or by that of their call or multiparty call. */
export function searchRecordings(database: Database): Search {
  const { find } = createQueries(database);
  const tables = reading(database.read);
  return async (viewer, { uuid }, limit) => {
    if (uuid === undefined) return [];
    const page = { limit, offset: 0 };
    const of = (filter: { readonly callUuid: string } | { readonly mpcUuid: string }) =>
      pageOf(listedRecordings(tables, viewer, { ...filter, isEmpty: false }), page).execute();
    const [own, ofCall, ofRoom] = await Promise.all([
      find(viewer, uuid),
      of({ callUuid: uuid }),
      of({ mpcUuid: uuid }),
    ]);
    const rows: readonly RecordingRow[] = [...(own === undefined ? [] : [own]), ...ofCall, ...ofRoom];
    const once = new Map(rows.map((row) => [row.recording_id, row]));
    return [...once.values()].map(({ recording_id, mpc_name, from_number, to_number, created_at }) => ({
      kind: 'recording',
      id: recording_id,
      title: mpc_name ?? `${from_number} → ${to_number}`,
      at: created_at,
      path: `Recording/${recording_id}/`,
    }));
  };
}
