import type { Database } from '@jackfield/ports';
import { sql } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import { spellingsOf } from '../../kernel/number-spellings.ts';
import type { Page } from '../../kernel/pagination.ts';
import type { TimeRange } from '../../kernel/time-range.ts';
import { viewOf } from '../accounts/index.ts';
import { type RecordingRow, reading } from './tables.ts';

/** The account in the path of a request: a main account sees the recordings of its subaccounts too. */
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
  /** No recording can match: conferences have none. */
  readonly isEmpty: boolean;
}

export type RecordingQueries = ReturnType<typeof createQueries>;

type Tables = ReturnType<typeof reading>;

function seenBy(tables: Tables, viewer: Viewer) {
  return (
    tables
      .selectFrom('recordings')
      .where(viewOf(viewer), '=', viewer.authId)
      // A deleted recording that is about to end.
      .where('is_discarded', '=', 0)
  );
}

type Selection = ReturnType<typeof seenBy>;

/** Selects the recordings of a list: one selection for each spelling of a number, so that its index is used. */
export function listedRecordings(
  tables: Tables,
  viewer: Viewer,
  filters: RecordingFilters,
): readonly Selection[] {
  const { subaccount, callUuid, mpcUuid, mpcName, from, to, added, closed } = filters;
  // The indexes of these begin with the main account. SQLite would choose the index of a subaccount: `|| ''` hides that column.
  const isNamed = [callUuid, mpcUuid, mpcName, from, to].some((each) => each !== undefined);
  let listed = seenBy(tables, isNamed ? { ...viewer, isSubaccount: false, authId: viewer.main } : viewer);
  for (const account of [viewer.isSubaccount ? viewer.authId : undefined, subaccount]) {
    if (account === undefined) continue;
    listed = isNamed
      ? listed.where(sql<string>`account || ''`, '=', account)
      : listed.where('account', '=', account);
  }
  if (callUuid !== undefined) listed = listed.where('call_uuid', '=', callUuid);
  if (mpcUuid !== undefined) listed = listed.where('mpc_uuid', '=', mpcUuid);
  if (mpcName !== undefined) listed = listed.where('mpc_name', '=', mpcName);
  if (added?.from !== undefined) listed = listed.where('created_at', '>=', added.from);
  if (added?.before !== undefined) listed = listed.where('created_at', '<', added.before);
  if (closed?.from !== undefined) listed = listed.where('closed_at', '>=', closed.from);
  if (closed?.before !== undefined) listed = listed.where('closed_at', '<', closed.before);
  const ofCallers =
    from === undefined ? [listed] : spellingsOf(from).map((each) => listed.where('from_number', '=', each));
  return to === undefined
    ? ofCallers
    : ofCallers.flatMap((some) => spellingsOf(to).map((each) => some.where('to_number', '=', each)));
}

/** Newest first; the identifier orders recordings of one millisecond. */
export function pageOf(selections: readonly Selection[], page: Page) {
  return selections
    .map((each) => each.selectAll())
    .reduce((all, each) => all.unionAll(each))
    .orderBy('created_at', 'desc')
    .orderBy('recording_id', 'desc')
    .limit(page.limit)
    .offset(page.offset);
}

export function countOf(tables: Tables, selections: readonly Selection[]) {
  const found = selections
    .map((each) => each.select('recording_id'))
    .reduce((all, each) => all.unionAll(each))
    .as('found');
  return tables.selectFrom(found).select((columns) => columns.fn.countAll().as('total'));
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
      const listed = listedRecordings(tables, viewer, filters);
      const [counted, rows] = await Promise.all([
        countOf(tables, listed).executeTakeFirstOrThrow(),
        pageOf(listed, page).execute(),
      ]);
      return { total: Number(counted.total), rows };
    },
  };
}
