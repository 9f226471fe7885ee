import type { Database } from '@jackfield/ports';
import { sql } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
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
    const { total } = await tables
      .selectFrom(
        endedCalls(tables, viewer, filters).select('call_uuid').limit(countedAtMost(page)).as('found'),
      )
      .select((columns) => columns.fn.countAll().as('total'))
      .executeTakeFirstOrThrow();
    return Number(total);
  }

  /** The total of an account of another main account is not shown. */
  async function owns(viewer: RequestAccount, subaccount: string): Promise<boolean> {
    const one = endedCalls(tables, viewer, { subaccount }).select('call_uuid').limit(1);
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
export function pageOf(ended: Selection, page: Page) {
  return ended
    .selectAll()
    .orderBy('ended_at', 'desc')
    .orderBy('call_uuid', 'desc')
    .limit(page.limit)
    .offset(page.offset);
}

function callsSeenBy(tables: CallTables, viewer: RequestAccount) {
  return tables.selectFrom('calls').where(viewOf(viewer), '=', viewer.authId);
}

function endedCalls(tables: CallTables, viewer: RequestAccount, { subaccount, ...filters }: CallFilters) {
  let ended = callsSeenBy(tables, viewer).where('ended_at', 'is not', null);
  if (subaccount !== undefined) ended = ended.where('account', '=', subaccount);
  // Repeats the condition of the partial indexes of subaccounts, so that they are used.
  if (viewer.isSubaccount || subaccount !== undefined) {
    ended = ended.whereRef('account', '<>', 'main_account');
  }
  return narrowed(ended, filters);
}

/** The rows of the selection that match the filters. */
export function narrowed(selection: Selection, filters: CallFilters, trunk?: string): Selection {
  let matching = selection;
  let isFirst = true;
  for (const [column, value] of equalities(filters, trunk)) {
    if (value === undefined) continue;
    // A planner without statistics picks any index: only the most selective filter is visible to it.
    matching = matching.where(isFirst ? column : hidden(column), '=', value);
    isFirst = false;
  }
  const { from, before } = filters.ended ?? {};
  if (from !== undefined) matching = matching.where('ended_at', '>=', from);
  if (before !== undefined) matching = matching.where('ended_at', '<', before);
  if (filters.billed !== undefined) {
    const { atLeast, atMost } = filters.billed;
    matching = matching.where('bill_seconds', '>=', atLeast).where('bill_seconds', '<=', atMost);
  }
  return matching;
}

/** The most selective filter comes first. */
function equalities(filters: CallFilters, trunk: string | undefined) {
  return [
    ['parent_call_uuid', filters.parent],
    ['trunk_id', trunk],
    ['from_number', filters.from],
    ['to_number', filters.to],
    ['hangup_code', filters.cause],
    ['hangup_source', filters.source],
    ['direction', filters.direction],
  ] as const;
}

/** An expression with the column's value that no index serves. */
function hidden(column: ReturnType<typeof equalities>[number][0]) {
  return column === 'hangup_code'
    ? sql<number | string>`hangup_code + 0`
    : sql<number | string>`${sql.ref(column)} || ''`;
}
