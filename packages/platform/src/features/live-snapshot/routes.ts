import { readInteger } from '@jackfield/contract';
import {
  type CallQualitySample,
  defaultLivePage,
  type LiveRoomItem,
  liveBody,
  liveQuery,
} from '@jackfield/contract/console';
import { type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { type EventLog, firstCursor } from '../../kernel/event-log.ts';
import { accepted } from '../../kernel/result.ts';
import type { LiveCallRecord } from '../calls/index.ts';

export interface RouteDeps {
  readonly events: EventLog;
  calls(viewer: RequestAccount, after: string, limit: number): Promise<readonly LiveCallRecord[]>;
  qualityOf(calls: readonly string[]): Promise<ReadonlyMap<string, CallQualitySample>>;
  rooms(viewer: RequestAccount, after: string, limit: number): Promise<readonly LiveRoomItem[]>;
}

/** Each has up to a hundred members, which hear each other. */
const mostRooms = 25;

interface LivePage {
  readonly rooms: readonly LiveRoomItem[];
  readonly calls: readonly LiveCallRecord[];
  /** Position of the next page; undefined on the last. */
  readonly next: string | undefined;
}

export function liveSnapshotRoutes(deps: RouteDeps): RouteGroup {
  return {
    name: 'Console',
    routes: [
      route({
        method: 'GET',
        path: 'Live/',
        operation: 'Retrieve everything live',
        id: 'retrieveLive',
        description:
          'Live multiparty calls with their members and who hears whom, then live calls, page by page. An object that ends while the pages are read is reported by the events behind meta.after of the first page.',
        schema: { query: liveQuery, response: liveBody },
        success: 200,
        async run({ account, query }) {
          const limit = readInteger(query.limit) ?? defaultLivePage;
          // Read first: a change after it is behind the position, whether the page shows it or not.
          const newest = await deps.events.newest(account, 1);
          const { rooms, calls, next } = await readPage(deps, account, query.position, limit);
          const quality = await deps.qualityOf(calls.map(({ call_uuid }) => call_uuid));
          const path = `/v1/Account/${account.authId}/Live/?limit=${limit}`;
          return accepted({
            meta: {
              limit,
              after: newest[0]?.cursor ?? firstCursor,
              next: next === undefined ? null : `${path}&position=${encodeURIComponent(next)}`,
            },
            multiparty_calls: [...rooms],
            calls: calls.map((call) => ({ ...call, quality: quality.get(call.call_uuid) ?? null })),
          });
        },
      }),
    ],
  };
}

/** Multiparty calls first; a page that has room left goes on with calls. */
async function readPage(
  deps: RouteDeps,
  account: RequestAccount,
  position = 'multiparty-call/',
  limit: number,
): Promise<LivePage> {
  const slash = position.indexOf('/');
  const after = position.slice(slash + 1);
  if (position.slice(0, slash) === 'call') return { rooms: [], ...(await callsBehind(after, limit)) };
  const most = Math.min(limit, mostRooms);
  const rooms = await deps.rooms(account, after, most);
  const last = rooms.at(-1)?.mpc_uuid ?? after;
  if (rooms.length === most) return { rooms, calls: [], next: `multiparty-call/${last}` };
  return { rooms, ...(await callsBehind('', limit - rooms.length)) };

  async function callsBehind(uuid: string, most: number): Promise<Omit<LivePage, 'rooms'>> {
    const calls = await deps.calls(account, uuid, most);
    const lastCall = calls.at(-1)?.call_uuid;
    return { calls, next: calls.length === most && lastCall !== undefined ? `call/${lastCall}` : undefined };
  }
}
