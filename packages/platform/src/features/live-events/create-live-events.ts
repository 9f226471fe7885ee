import type { Clock, Database, Logger } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { RequestAccount, RouteGroup } from '../../http/index.ts';
import {
  createEventFeed,
  type FeedCursor,
  type FeedEvent,
  type FeedReader,
  feedStart,
} from '../../kernel/event-feed.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import { draining, tooManyRequests } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { liveEventRoutes } from './routes.ts';
import {
  type EventStream,
  openEventStream,
  type StreamLimits,
  type StreamTarget,
  streamLimits,
} from './streams/event-stream.ts';
import { followEvents } from './streams/follow.ts';

export interface LiveEventsLimits extends StreamLimits {
  /** Streams of an account at the same time; a subaccount has its own count. */
  readonly streamsPerAccount: number;
}

const liveEventsLimits: LiveEventsLimits = { ...streamLimits, streamsPerAccount: 10 };

export interface LiveEventsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly outbox: Pick<Outbox, 'subscribe'>;
  readonly limits?: Partial<LiveEventsLimits>;
}

export interface LiveEventsFeature extends Feature {
  readonly routes: readonly RouteGroup[];
  /** Streams that are open. */
  streams(): number;
  census(): { readonly streams: number };
  /** Tells every event of the reader from now on inside this process; resolves with what ends that. */
  follow(reader: FeedReader, tell: (event: FeedEvent) => void): Promise<() => void>;
  /** Ends all streams and opens no more. */
  drain(): void;
}

/** What happens on an account, as it happens: pages and streams over what the outbox keeps. */
export function createLiveEvents(deps: LiveEventsDeps): LiveEventsFeature {
  const { database, clock, log, outbox } = deps;
  const limits = { ...liveEventsLimits, ...deps.limits };
  const feed = createEventFeed(database);
  const streams = new Set<EventStream>();
  const perAccount = new Map<string, number>();
  let unsubscribe: (() => void) | undefined;
  let isClosed = false;

  function count(account: string, change: number): void {
    const now = (perAccount.get(account) ?? 0) + change;
    if (now === 0) perAccount.delete(account);
    else perAccount.set(account, now);
  }

  async function open(
    account: RequestAccount,
    after: FeedCursor | undefined,
    type: string | undefined,
  ): Promise<Result<(target: StreamTarget) => void>> {
    if (isClosed) return refused(draining(5));
    const { authId } = account;
    if ((perAccount.get(authId) ?? 0) >= limits.streamsPerAccount) {
      const sentence = `an account may have ${limits.streamsPerAccount} streams of events open at the same time`;
      return refused(tooManyRequests(sentence, 5));
    }
    // Counted before anything is awaited, or many that come together would all find room.
    count(authId, 1);
    let from: FeedCursor;
    try {
      from = after ?? (await feed.newest(account, 1))[0]?.cursor ?? feedStart;
    } catch (error) {
      count(authId, -1);
      throw error;
    }
    return accepted((target) => {
      target.onClose(() => {
        count(authId, -1);
        streams.delete(stream);
        if (streams.size > 0) return;
        unsubscribe?.();
        unsubscribe = undefined;
      });
      const stream = openEventStream({ feed, clock, log, limits }, account, from, type, target);
      streams.add(stream);
      unsubscribe ??= outbox.subscribe(() => {
        for (const each of streams) each.wake();
      });
      if (isClosed) stream.end('the server is shutting down');
    });
  }

  return {
    name: 'live-events',
    routes: [liveEventRoutes({ feed, open })],
    streams: () => streams.size,
    census: () => ({ streams: streams.size }),
    follow: (reader, tell) => followEvents({ feed, outbox, log }, reader, tell),
    drain() {
      isClosed = true;
      for (const stream of streams) stream.end('the server is shutting down');
    },
  };
}
