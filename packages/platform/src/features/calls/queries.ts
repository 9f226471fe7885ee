import type { Database } from '@jackfield/ports';
import { sql } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import { spellingsOf } from '../../kernel/number-spellings.ts';
import { countedAtMost, type Page } from '../../kernel/pagination.ts';
import { viewOf } from '../accounts/index.ts';
import type { CallFilters } from './list-filters.ts';
import { type CallRow, tablesOf } from './tables.ts';

export type CallQueries = ReturnType<typeof createCallQueries>;

type CallTables = ReturnType<typeof tablesOf>;

const liveCountedAtMost = 100_000;

/** Reads of the API. Lists are of ended calls, the newest end first; each filter has its index, for both views. */
export function createCallQueries(database: Pick<Database, 'read'>) {
  const tables = tablesOf(database.read);

  async function totalOf(viewer: RequestAccount, filters: CallFilters, page: Page): Promise<number> {
    const { subaccount, isEmpty, ...others } = filters;
    if (Object.values(others).every((value) => value === undefined)) {
      const isOwn = subaccount === undefined || (viewer.isSubaccount && subaccount === viewer.authId);
      if (isOwn) return plainTotal(viewer.authId);
      return (await owns(viewer, subaccount)) ? plainTotal(subaccount) : 0;
    }
    return countOf(tables, endedCalls(tables, viewer, filters), page);
  }

  /** The total of an account of another main account is not shown. */
  async function owns(viewer: RequestAccount, subaccount: string): Promise<boolean> {
    const one = endedCallsOf(tables, viewer, subaccount).select('call_uuid').limit(1);
    return (await one.executeTakeFirst()) !== undefined;
  }

  async function plainTotal(account: string): Promise<number> {
    const { total } = await tables
      .selectFrom('call_totals')
      .select((columns) => columns.fn.sum('total').as('total'))
      .where('account', '=', account)
      .executeTakeFirstOrThrow();
    return Number(total ?? 0);
  }

  return {
    find: (viewer: RequestAccount, uuid: string): Promise<CallRow | undefined> =>
      callsSeenBy(tables, viewer).selectAll().where('call_uuid', '=', uuid).executeTakeFirst(),

    async list(
      viewer: RequestAccount,
      filters: CallFilters,
      page: Page,
    ): Promise<{ readonly total: number; readonly rows: readonly CallRow[] }> {
      if (filters.isEmpty) return { total: 0, rows: [] };
      const [total, rows] = await Promise.all([
        totalOf(viewer, filters, page),
        pageOfCalls(tables, viewer, filters, page).execute(),
      ]);
      return { total, rows };
    },

    /** Live calls, in no particular order. */
    async live(viewer: RequestAccount): Promise<readonly string[]> {
      const rows = await callsSeenBy(tables, viewer)
        .select('call_uuid')
        .where('ended_at', 'is', null)
        .execute();
      return rows.map(({ call_uuid }) => call_uuid);
    },

    /** Over the index of live calls. */
    async countLive(viewer: RequestAccount): Promise<number> {
      const { total } = await tables
        .selectFrom(
          callsSeenBy(tables, viewer)
            .select('call_uuid')
            .where('ended_at', 'is', null)
            .limit(liveCountedAtMost)
            .as('live'),
        )
        .select((columns) => columns.fn.countAll().as('total'))
        .executeTakeFirstOrThrow();
      return Number(total);
    },

    /** Live calls of this request. */
    ofRequest: (viewer: RequestAccount, request: string): Promise<readonly CallRow[]> =>
      callsSeenBy(tables, viewer)
        .selectAll()
        .where('request_uuid', '=', request)
        .where('ended_at', 'is', null)
        .execute(),
  };
}

/** One page of a list. */
export function pageOfCalls(tables: CallTables, viewer: RequestAccount, filters: CallFilters, page: Page) {
  return pageOf(endedCalls(tables, viewer, filters), page);
}

type Selection = ReturnType<typeof callsSeenBy>;

/** Newest end first. */
export function pageOf(selections: readonly Selection[], page: Page) {
  return selections
    .map((each) => each.selectAll())
    .reduce((all, each) => all.unionAll(each))
    .orderBy('ended_at', 'desc')
    .orderBy('call_uuid', 'desc')
    .limit(page.limit)
    .offset(page.offset);
}

/** The number of rows, as far as a list counts them. */
export async function countOf(
  tables: CallTables,
  selections: readonly Selection[],
  page: Page,
): Promise<number> {
  const found = selections
    .map((each) => each.select('call_uuid'))
    .reduce((all, each) => all.unionAll(each))
    .limit(countedAtMost(page))
    .as('found');
  const counted = tables.selectFrom(found).select((columns) => columns.fn.countAll().as('total'));
  return Number((await counted.executeTakeFirstOrThrow()).total);
}

function callsSeenBy(tables: CallTables, viewer: RequestAccount) {
  return tables.selectFrom('calls').where(viewOf(viewer), '=', viewer.authId);
}

function endedCalls(tables: CallTables, viewer: RequestAccount, { subaccount, ...filters }: CallFilters) {
  return narrowed(endedCallsOf(tables, viewer, subaccount), filters);
}

function endedCallsOf(tables: CallTables, viewer: RequestAccount, subaccount: string | undefined) {
  let ended = callsSeenBy(tables, viewer).where('ended_at', 'is not', null);
  if (subaccount !== undefined) ended = ended.where('account', '=', subaccount);
  // Repeats the condition of the partial indexes of subaccounts, so that they are used.
  if (viewer.isSubaccount || subaccount !== undefined) {
    ended = ended.whereRef('account', '<>', 'main_account');
  }
  return ended;
}

/**
 * The rows of the selection that match the filters, a selection for each value of the most selective filter: its index gives each of
 * them in the order of the list.
 */
export function narrowed(selection: Selection, filters: CallFilters, trunk?: string): readonly Selection[] {
  const [first, ...others] = equalities(filters, trunk);
  let matching = selection;
  // A planner without statistics picks any index: only the most selective filter is visible to it.
  for (const [column, values] of others) matching = matching.where(hidden(column), 'in', values);
  const { from, before } = filters.ended ?? {};
  if (from !== undefined) matching = matching.where('ended_at', '>=', from);
  if (before !== undefined) matching = matching.where('ended_at', '<', before);
  if (filters.billed !== undefined) {
    const { atLeast, atMost } = filters.billed;
    matching = matching.where('bill_seconds', '>=', atLeast).where('bill_seconds', '<=', atMost);
  }
  if (first === undefined) return [matching];
  const [column, values] = first;
  return values.map((value) => matching.where(column, '=', value));
}

type Column = keyof Pick<
  CallRow,
  | 'parent_call_uuid'
  | 'trunk_id'
  | 'from_number'
  | 'to_number'
  | 'hangup_code'
  | 'hangup_source'
  | 'direction'
>;

/** The filters that are set, each with the values that match. The most selective one comes first. */
function equalities(filters: CallFilters, trunk: string | undefined) {
  const { parent, from, to, cause, source, direction } = filters;
  const all: readonly (readonly [Column, readonly (string | number | undefined)[]])[] = [
    ['parent_call_uuid', [parent]],
    ['trunk_id', [trunk]],
    ['from_number', from === undefined ? [] : spellingsOf(from)],
    ['to_number', to === undefined ? [] : spellingsOf(to)],
    ['hangup_code', [cause]],
    ['hangup_source', [source]],
    ['direction', [direction]],
  ];
  return all
    .map(([column, values]) => [column, values.filter((value) => value !== undefined)] as const)
    .filter(([, values]) => values.length > 0);
}

/** An expression with the column's value that no index serves. */
function hidden(column: Column) {
  return column === 'hangup_code'
    ? sql<number | string>`hangup_code + 0`
    : sql<number | string>`${sql.ref(column)} || ''`;
}
