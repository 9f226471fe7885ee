import type { Database, Instant } from '@jackfield/ports';
import { removeBeyond } from '../../kernel/capped-rows.ts';

/** `left-out` counts entries beyond the number that is kept for a call. `traced`: messages of an endpoint's trace, which stands for the call. */
export type EntryKind =
  | 'message'
  | 'document'
  | 'traced'
  | 'messages-left-out'
  | 'documents-left-out'
  | 'traced-left-out';

export interface BlackBoxEntry {
  readonly call: string;
  readonly kind: EntryKind;
  readonly at: Instant;
  /** JSON of what happened. */
  readonly entry: string;
}

interface Row {
  readonly call_uuid: string;
  readonly kind: EntryKind;
  readonly at: number;
  readonly entry: string;
}

// Types, not interfaces: withTables asks for records.
type Tables = { call_black_box: Row & { readonly position: number } };
type NewRows = { call_black_box: Row };

export type BlackBoxStore = ReturnType<typeof createBlackBoxStore>;

/** SQL of the entries. */
export function createBlackBoxStore(database: Pick<Database, 'read' | 'transact'>) {
  const tables = database.read.withTables<Tables>();

  return {
    insert: (entries: readonly BlackBoxEntry[]): Promise<void> =>
      database.transact(async (write) => {
        const rows = entries.map(({ call, ...entry }) => ({ call_uuid: call, ...entry }));
        await write.withTables<NewRows>().insertInto('call_black_box').values(rows).execute();
      }),

    /** Oldest first. */
    list: (call: string, kind: EntryKind, most: number): Promise<readonly Row[]> =>
      tables
        .selectFrom('call_black_box')
        .select(['call_uuid', 'kind', 'at', 'entry'])
        .where('call_uuid', '=', call)
        .where('kind', '=', kind)
        .orderBy('position')
        .limit(most)
        .execute(),

    /** Oldest first, from that time on and behind that position. */
    async since(
      call: string,
      kind: EntryKind,
      { from, after, most }: { readonly from: Instant; readonly after: number; readonly most: number },
    ): Promise<readonly (Row & { readonly position: number })[]> {
      const rows = await tables
        .selectFrom('call_black_box')
        .select(['position', 'call_uuid', 'kind', 'at', 'entry'])
        .where('call_uuid', '=', call)
        .where('kind', '=', kind)
        .where('position', '>', after)
        .where('at', '>=', from)
        .orderBy('position')
        .limit(most)
        .execute();
      return rows.map((row) => ({ ...row, position: Number(row.position) }));
    },

    /** Removes the oldest entries: those before then, and those beyond the newest `number`. */
    removeOld: (before: Instant, number: number, limit: number) =>
      removeBeyond(database, 'call_black_box', { since: before, number }, limit),
  };
}
