import {
  type TrunkCallRecord,
  trunkCallBody,
  trunkCallList,
  trunkCallListQuery,
  trunkCallPath,
} from '@jackfield/contract';
import type { Database } from '@jackfield/ports';
import { type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { answerPage, type Page } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import { type CallFilters, readCallFilters } from './list-filters.ts';
import { countOf, narrowed, pageOf } from './queries.ts';
import { type CallRow, tablesOf } from './tables.ts';
import { callRecordOf } from './views.ts';

/** The first words of paths of trunks: ours, and that of older programs. */
const areas = ['SipTrunk', 'Zentrunk'] as const;

export type TrunkCallFilters = CallFilters & { readonly trunk?: string | undefined };

/**
 * Records of calls through trunks: the same rows as `Call/`, for the owner of the trunk. The domains of trunks are below
 * `domain`.
 */
export function trunkCallRoutes(database: Pick<Database, 'read'>, domain: string): RouteGroup {
  const queries = createTrunkCallQueries(database);

  function shown(row: CallRow): TrunkCallRecord {
    const trunk = row.trunk_id ?? '';
    return {
      ...callRecordOf(row),
      trunk_id: trunk,
      trunk_domain: `${trunk}.zt.${domain}`,
      // A telephone system that calls through the platform is a caller to us.
      trunk_direction: row.direction === 'inbound' ? 'outbound' : 'inbound',
    };
  }

  const routes = areas.flatMap((area) => {
    const suffix = area === areas[0] ? '' : area;
    const named = (title: string) => (area === areas[0] ? title : `${title} (${area})`);
    const path = `${area}/Call/`;
    return [
      route({
        method: 'GET',
        path,
        operation: named('List calls through trunks'),
        id: `listTrunkCalls${suffix}`,
        description:
          'Ended calls, the newest end first. total_count counts no further than 10,000 or the next page.',
        schema: { query: trunkCallListQuery, response: trunkCallList },
        success: 200,
        async run({ account, query }) {
          const filters = readCallFilters(query);
          if (!filters.ok) return filters;
          const requested = { ...filters.value, trunk: query.trunk_id };
          return answerPage(
            { query, path: `/v1/Account/${account.authId}/${path}` },
            (page) => queries.list(account, requested, page),
            shown,
          );
        },
      }),
      route({
        method: 'GET',
        path: `${path}:call_uuid/`,
        operation: named('Retrieve a call through a trunk'),
        id: `retrieveTrunkCall${suffix}`,
        description: 'Its record, also of a live call.',
        schema: { params: trunkCallPath, response: trunkCallBody },
        success: 200,
        async run({ account, params }) {
          const row = await queries.find(account, params.call_uuid.toLowerCase());
          return row === undefined
            ? refused(notFound('call through a trunk', params.call_uuid))
            : accepted(shown(row));
        },
      }),
    ];
  });
  return { name: 'Trunks', description: 'Calls through trunks have records like all calls.', routes };
}

type CallTables = ReturnType<typeof tablesOf>;

function createTrunkCallQueries({ read }: Pick<Database, 'read'>) {
  const tables = tablesOf(read);

  return {
    find: (viewer: RequestAccount, uuid: string): Promise<CallRow | undefined> =>
      seenBy(tables, viewer).selectAll().where('call_uuid', '=', uuid).executeTakeFirst(),

    async list(viewer: RequestAccount, filters: TrunkCallFilters, page: Page) {
      const [total, rows] = await Promise.all([
        countOf(tables, endedCalls(tables, viewer, filters), page),
        pageOfTrunkCalls(tables, viewer, filters, page).execute(),
      ]);
      return { total, rows };
    },
  };
}

/** One page of a list. */
export function pageOfTrunkCalls(
  tables: CallTables,
  viewer: RequestAccount,
  filters: TrunkCallFilters,
  page: Page,
) {
  return pageOf(endedCalls(tables, viewer, filters), page);
}

function seenBy(tables: CallTables, viewer: RequestAccount) {
  return tables
    .selectFrom('calls')
    .where(viewer.isSubaccount ? 'trunk_account' : 'trunk_main_account', '=', viewer.authId)
    .where('trunk_id', 'is not', null);
}

function endedCalls(
  tables: CallTables,
  viewer: RequestAccount,
  { subaccount, trunk, ...filters }: TrunkCallFilters,
) {
  let ended = seenBy(tables, viewer).where('ended_at', 'is not', null);
  if (subaccount !== undefined) ended = ended.where('trunk_account', '=', subaccount);
  // Repeats the condition of the partial indexes of subaccounts, so that they are used.
  if (viewer.isSubaccount || subaccount !== undefined) {
    ended = ended.whereRef('trunk_account', '<>', 'trunk_main_account');
  }
  return narrowed(ended, filters, trunk);
}
