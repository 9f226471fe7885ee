import type { Clock, Database, Migration } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import type { DiedAt } from '../../kernel/last-alive.ts';
import { problem } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';

import type { Calls } from '../calls/index.ts';
import { type CallStreamDeps, createCommands, type StreamCommands } from './commands.ts';
import type { NewStream } from './domain/new-stream.ts';
import { newStream } from './domain/stream.ts';
import { createLiveStreams } from './live/live-streams.ts';
import { createUpgradeSigner, type UpgradeSignerDeps } from './live/sign-upgrade.ts';
import { streamsTable } from './migrations/0001-streams.ts';
import { streamsOfSubaccounts } from './migrations/0002-streams-of-subaccounts.ts';
import type { StreamLifeNotice, Streams } from './public-api.ts';
import { createQueries, type StreamQueries } from './queries.ts';
import { streamRoutes } from './routes.ts';
import { defineSessions, type SessionDeps } from './sessions.ts';
import { liveOf, loadLiveStreams, passOnStreams, removeStreams } from './store.ts';

export interface StreamsDeps extends SessionDeps, UpgradeSignerDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly newUuid: () => string;
  readonly calls: Pick<Calls, 'peek' | 'whenOver'> & CallStreamDeps['calls'];
}

export interface StreamsFeature extends Feature, Streams {
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  readonly resources: AccountResources;
  readonly queries: StreamQueries;
  readonly commands: StreamCommands;
  /** Ends the streams that the last process left behind, as of its death; called once, before the first start. Resolves with their number. */
  restore(diedAt: DiedAt): Promise<number>;
}

/** Streams of the API on a call are owned under this name; nobody listens to what becomes of them. */
const apiOwner = 'api';

/** Live streams of one call, or of one multiparty call; more of them are a program gone astray. */
const maxStreams = 8;

/** The URL as its server sees it, however it is spelled. */
function arriving(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

/** Audio of calls to and from WebSocket servers: started for whoever owns them, kept, listed and ended. */
export function createStreams(deps: StreamsDeps): StreamsFeature {
  const { database, clock, calls, log, runner } = deps;
  const owners = new Map<string, (owner: string, notice: StreamLifeNotice) => void>();
  const live = createLiveStreams();
  const queries = createQueries(database);
  const sessions = defineSessions(deps, {
    sign: createUpgradeSigner(deps),
    tellOwner({ stream, owner }, notice) {
      try {
        owners.get(owner.kind)?.(owner.id, notice);
      } catch (err) {
        log.error({ stream, owner: owner.kind, err }, 'The owner of a stream threw.');
      }
    },
    whenEnded: gone,
  });

  const stop: Streams['stop'] = (stream, reason) => {
    // Also one whose record is just being written.
    if (live.has(stream)) sessions.send(stream, { type: 'stop-asked', reason });
  };

  const start: Streams['start'] = async (order) => {
    const refusal = refusalOf(order);
    if (refusal !== undefined) return refused(refusal);
    const { tracks, hearers, ...settings } = order;
    live.add(order);
    try {
      await sessions.open(order.stream, newStream(settings, clock.wallNow()), {
        type: 'ordered',
        tracks,
        hearers,
      });
    } catch (error) {
      gone(order);
      throw error;
    }
    // A call that ended while the record was written has told nobody here.
    if (live.sharesLife(order) && calls.peek(order.callUuid) === undefined) stop(order.stream, 'Call hangup');
    return accepted(undefined);
  };

  function gone(stream: Parameters<typeof live.remove>[0]): void {
    live.remove(stream);
  }

  function refusalOf(order: NewStream) {
    const others = live.beside(order);
    const place = arriving(order.serviceUrl);
    if (others.some(({ serviceUrl }) => arriving(serviceUrl) === place)) {
      const sentence = 'service_url must be one that this call has no live stream to';
      return { ...problem('invalid-parameter', sentence), parameter: 'service_url' };
    }
    if (others.length < maxStreams) return undefined;
    const sentence = `this call has ${maxStreams} live streams already: stop one of them first`;
    return problem('limit-reached', sentence);
  }

  const commands = createCommands({
    calls,
    start,
    stop,
    nowOf: sessions.nowOf,
    queries,
    newUuid: deps.newUuid,
    owner: apiOwner,
  });
  calls.whenOver((leg) => {
    for (const stream of live.ofLeg(leg)) stop(stream, 'Call hangup');
  });
  owners.set(apiOwner, () => {});

  return {
    name: 'streams',
    migrations: [streamsTable, streamsOfSubaccounts],
    queries,
    commands,
    routes: [streamRoutes(commands, queries, deps.usage)],
    resources: {
      async remove(write, account) {
        for (const stream of await liveOf(write, account)) stop(stream, 'API request');
        await removeStreams(write, account);
      },
      passOn: passOnStreams,
    },
    ownedBy(kind, tell) {
      if (owners.has(kind)) throw new Error(`owners of kind '${kind}' are told already`);
      owners.set(kind, tell);
    },
    start,
    retrack(stream, tracks, hearers) {
      if (live.has(stream)) sessions.send(stream, { type: 'retrack-asked', tracks, hearers });
    },
    stop,
    async restore(diedAt) {
      const left = await loadLiveStreams(database);
      for (const stream of left) {
        const since = stream.startedAt ?? stream.createdAt;
        sessions.resume(stream.order.stream, stream, { type: 'process-restarted', diedAt: diedAt(since) });
      }
      await runner.idle();
      return left.length;
    },
  };
}
