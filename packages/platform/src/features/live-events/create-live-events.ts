import type { Database } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import { createEventLog, type EventReader, type LoggedEvent } from '../../kernel/event-log.ts';
import { liveEventRoutes } from './routes.ts';
import { followEvents } from './streams/follow.ts';
import { OpenStreams, type OpenStreamsDeps } from './streams/open-streams.ts';

export interface LiveEventsDeps extends Omit<OpenStreamsDeps, 'events'> {
  readonly database: Database;
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
  const { log, outbox } = deps;
  const events = createEventLog(deps.database);
  const streams = new OpenStreams({ ...deps, events });
  return {
    name: 'live-events',
    routes: [liveEventRoutes({ events, open: (...order) => streams.open(...order) })],
    streams: () => streams.size,
    census: () => ({ streams: streams.size }),
    follow: (reader, listener) => followEvents({ log, events, outbox }, reader, listener),
    drain: () => streams.drain(),
  };
}
