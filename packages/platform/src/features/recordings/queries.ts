import type { Database } from '@jackfield/ports';
import { sql } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import type { Page } from '../../kernel/pagination.ts';
import type { TimeRange } from '../../kernel/time-range.ts';
import { viewOf } from '../accounts/index.ts';
import { type RecordingRow, reading } from './tables.ts';

/** On whose path a request came: a main account sees the recordings of its subaccounts too. */
export type Viewer = Pick<RequestAccount, 'authId' | 'isSubaccount' | 'main'>;

export interface RecordingFilters {
  readonly subaccount?: string | undefined;
  readonly callUuid?: string | undefined;
  readonly mpcUuid?: string | undefined;
  readonly mpcName?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly added?: TimeRange | undefined;
  /** When the record became complete. */
  readonly closed?: TimeRange | undefined;
  /** Nothing is asked for that we have: recordings of conferences without roles. */
  readonly isEmpty: boolean;
}

export type RecordingQueries = ReturnType<typeof createQueries>;

type Tables = ReturnType<typeof reading>;

function seenBy(tables: Tables, viewer: Viewer) {
  return (
    tables
      .selectFrom('recordings')
      .where(viewOf(viewer), '=', viewer.authId)
      // Somebody has deleted it already, and it is about to end.
      .where('is_discarded', '=', 0)
  );
}

/** What a list counts and shows. */
export function recordingsWanted(tables: Tables, viewer: Viewer, filters: RecordingFilters) {
  const { subaccount, callUuid, mpcUuid, mpcName, from, to, added, closed } = filters;
  // The indexes of these begin with the main account. SQLite would rather walk along that of a subaccount: `|| ''` hides it.
  const isNamed = [callUuid, mpcUuid, mpcName, from, to].some((each) => each !== undefined);
  let wanted = seenBy(tables, isNamed ? { ...viewer, isSubaccount: false, authId: viewer.main } : viewer);
  for (const account of [viewer.isSubaccount ? viewer.authId : undefined, subaccount]) {
    if (account === undefined) continue;
    wanted = isNamed
      ? wanted.where(sql<string>`account || ''`, '=', account)
      : wanted.where('account', '=', account);
  }
  if (callUuid !== undefined) wanted = wanted.where('call_uuid', '=', callUuid);
  if (mpcUuid !== undefined) wanted = wanted.where('mpc_uuid', '=', mpcUuid);
  if (mpcName !== undefined) wanted = wanted.where('mpc_name', '=', mpcName);
  if (from !== undefined) wanted = wanted.where('from_number', '=', from);
  if (to !== undefined) wanted = wanted.where('to_number', '=', to);
  if (added?.from !== undefined) wanted = wanted.where('created_at', '>=', added.from);
  if (added?.before !== undefined) wanted = wanted.where('created_at', '<', added.before);
  if (closed?.from !== undefined) wanted = wanted.where('closed_at', '>=', closed.from);
  if (closed?.before !== undefined) wanted = wanted.where('closed_at', '<', closed.before);
  return wanted;
}

/** Newest first; the identifier decides between recordings of one millisecond. */
export function pageOf(wanted: ReturnType<typeof recordingsWanted>, page: Page) {
  return wanted
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('recording_id', 'desc')
    .limit(page.limit)
    .offset(page.offset);
}

export function createQueries(database: Database) {
  const tables = reading(database.read);

  return {
    find(viewer: Viewer, recording: string): Promise<RecordingRow | undefined> {
      return seenBy(tables, viewer)
        .selectAll()
        .where('recording_id', '=', recording.toLowerCase())
        .executeTakeFirst();
    },

    async list(
      viewer: Viewer,
      filters: RecordingFilters,
      page: Page,
    ): Promise<{ readonly total: number; readonly rows: readonly RecordingRow[] }> {
      if (filters.isEmpty) return { total: 0, rows: [] };
      const wanted = recordingsWanted(tables, viewer, filters);
      const [counted, rows] = await Promise.all([
        wanted.select((columns) => columns.fn.countAll().as('total')).executeTakeFirstOrThrow(),
        pageOf(wanted, page).execute(),
      ]);
      return { total: Number(counted.total), rows };
    },
  };
}
