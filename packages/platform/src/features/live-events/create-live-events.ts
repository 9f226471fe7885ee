import type { Clock, Database, Logger } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { RequestAccount, RouteGroup } from '../../http/index.ts';
import {
  createEventLog,
  type EventCursor,
  type EventReader,
  firstCursor,
  type LoggedEvent,
} from '../../kernel/event-log.ts';
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
import type { EventFilter } from './views.ts';

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
  /** Calls `listener` with every event of the reader from now on; resolves with the unsubscribe. */
  follow(reader: EventReader, listener: (event: LoggedEvent) => void): Promise<() => void>;
  /** Ends all streams and opens no more. */
  drain(): void;
}

/** Events of an account as they happen: pages and streams over the events that the outbox keeps. */
export function createLiveEvents(deps: LiveEventsDeps): LiveEventsFeature {
  const { database, clock, log, outbox } = deps;
  const limits = { ...liveEventsLimits, ...deps.limits };
  const events = createEventLog(database);
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
    after: EventCursor | undefined,
    filter: EventFilter,
  ): Promise<Result<(target: StreamTarget) => void>> {
    if (isClosed) return refused(draining(5));
    const { authId } = account;
    if ((perAccount.get(authId) ?? 0) >= limits.streamsPerAccount) {
      const sentence = `an account may have ${limits.streamsPerAccount} streams of events open at the same time`;
      return refused(tooManyRequests(sentence, 5));
    }
    // Counted before the first await, or many requests at once would all stay within the limit.
    count(authId, 1);
    let from: EventCursor;
    try {
      from = after ?? (await events.newest(account, 1))[0]?.cursor ?? firstCursor;
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
      const stream = openEventStream({ events, clock, log, limits }, account, from, filter, target);
      streams.add(stream);
      unsubscribe ??= outbox.subscribe(() => {
        for (const each of streams) each.wake();
      });
      if (isClosed) stream.end('the server is shutting down');
    });
  }

  return {
    name: 'live-events',
    routes: [liveEventRoutes({ events, open })],
    streams: () => streams.size,
    census: () => ({ streams: streams.size }),
    follow: (reader, listener) => followEvents({ log, events, outbox }, reader, listener),
    drain() {
      isClosed = true;
      for (const stream of streams) stream.end('the server is shutting down');
    },
  };
}
