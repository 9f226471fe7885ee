import { defaultEventPage, liveEventList, liveEventsQuery, readInteger } from '@jackfield/contract';
import { type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { type EventFeed, type FeedCursor, feedStart, isFeedCursor } from '../../kernel/event-feed.ts';
import { invalidParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { StreamTarget } from './streams/event-stream.ts';
import { isOfType, liveEventOf } from './views.ts';

export interface RouteDeps {
  readonly feed: EventFeed;
  readonly open: (
    account: RequestAccount,
    after: FeedCursor | undefined,
    type: string | undefined,
  ) => Promise<Result<(target: StreamTarget) => void>>;
}

/** So many events are looked through for a page of one type: what is rare costs no more than what is not. */
const lookedThrough = 500;

export function liveEventRoutes({ feed, open }: RouteDeps): RouteGroup {
  return {
    name: 'Events',
    description:
      'What happens on your account, as it happens: calls, participants, registrations, deliveries.',
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
          const limit = readInteger(query.limit) ?? defaultEventPage;
          const reach = type === undefined ? limit : lookedThrough;
          const seen =
            after === undefined ? await feed.newest(account, reach) : await feed.after(account, after, reach);
          const found = seen.filter((event) => isOfType(event, type));
          // Of the newest the last ones, behind a cursor the first ones.
          const objects = after === undefined ? found.slice(-limit) : found.slice(0, limit);
          const isCut = after !== undefined && found.length > limit;
          const end = (isCut ? objects : seen).at(-1)?.cursor ?? after ?? feedStart;
          const isMore = isCut || (after !== undefined && seen.length === reach);
          const filter = type === undefined ? '' : `&type=${encodeURIComponent(type)}`;
          const next = `/v1/Account/${account.authId}/Event/?after=${end}&limit=${limit}${filter}`;
          return accepted({
            meta: { limit, after: end, next: isMore ? next : null },
            objects: objects.map(liveEventOf),
          });
        },
        stream: {
          contentType: 'text/event-stream',
          async open({ account, query }, lastEventId) {
            if (lastEventId !== undefined && !isFeedCursor(lastEventId)) {
              return refused(
                invalidParameter('Last-Event-ID', lastEventId, 'the id of an event of the feed'),
              );
            }
            // A client that reconnects sends the same query again: what it has seen since counts.
            return open(account, lastEventId ?? query.after, query.type);
          },
        },
      }),
    ],
  };
}
