import { defaultEventPage, liveEventList, liveEventsQuery, readInteger } from '@jackfield/contract';
import { type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { type EventCursor, type EventLog, firstCursor, isEventCursor } from '../../kernel/event-log.ts';
import { invalidParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { problemOfType } from './filters.ts';
import type { StreamTarget } from './streams/event-stream.ts';
import { type EventFilter, isOfType, liveEventOf } from './views.ts';

export interface RouteDeps {
  readonly events: EventLog;
  readonly open: (
    account: RequestAccount,
    after: EventCursor | undefined,
    filter: EventFilter,
  ) => Promise<Result<(target: StreamTarget) => void>>;
}

/** Events that are read for a page of one type: bounds the cost of a rare type. */
const readForType = 500;

export function liveEventRoutes({ events, open }: RouteDeps): RouteGroup {
  return {
    name: 'Events',
    description: 'Events of your account as they happen: calls, participants, registrations, deliveries.',
    routes: [
      route({
        method: 'GET',
        path: 'Event/',
        operation: 'Follow events',
        id: 'listEvents',
        description:
          'With `Accept: text/event-stream` an endless stream of server-sent events, resumed by `Last-Event-ID` or `after`; otherwise a page.',
        schema: { query: liveEventsQuery, response: liveEventList },
        success: 200,
        async run({ account, query }) {
          const { after, type } = query;
          const problem = problemOfType(type);
          if (problem !== undefined) return refused(problem);
          const resources = resourcesOf(query.resource);
          const limit = readInteger(query.limit) ?? defaultEventPage;
          const reach = type === undefined ? limit : readForType;
          const seen =
            after === undefined
              ? await events.newest(account, reach, resources)
              : await events.after(account, after, reach, resources);
          const found = seen.filter((event) => isOfType(event, type));
          // The end of the newest events, or the beginning of those behind the cursor.
          const objects = after === undefined ? found.slice(-limit) : found.slice(0, limit);
          const isCut = after !== undefined && found.length > limit;
          const end = (isCut ? objects : seen).at(-1)?.cursor ?? after ?? firstCursor;
          const isMore = isCut || (after !== undefined && seen.length === reach);
          const filter = linkPartOf('type', type) + linkPartOf('resource', query.resource);
          const next = `/v1/Account/${account.authId}/Event/?after=${end}&limit=${limit}${filter}`;
          return accepted({
            meta: { limit, after: end, next: isMore ? next : null },
            objects: objects.map(liveEventOf),
          });
        },
        stream: {
          contentType: 'text/event-stream',
          async open({ account, query }, lastEventId) {
            if (lastEventId !== undefined && !isEventCursor(lastEventId)) {
              return refused(
                invalidParameter('Last-Event-ID', lastEventId, 'the id of an event of GET Event/'),
              );
            }
            const problem = problemOfType(query.type);
            if (problem !== undefined) return refused(problem);
            // A client that reconnects repeats its query: Last-Event-ID is newer.
            const filter = { type: query.type, resources: resourcesOf(query.resource) };
            return open(account, lastEventId ?? query.after, filter);
          },
        },
      }),
    ],
  };
}

function resourcesOf(listed: string | undefined): readonly string[] | undefined {
  return listed === undefined ? undefined : [...new Set(listed.split(','))];
}

function linkPartOf(name: string, value: string | undefined): string {
  return value === undefined ? '' : `&${name}=${encodeURIComponent(value)}`;
}
