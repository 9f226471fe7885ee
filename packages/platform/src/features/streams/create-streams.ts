import type { Clock, Database, Migration } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import type { EndedIncarnation } from '../../kernel/incarnation.ts';
import { createOwners, notifyOrLog } from '../../kernel/owners.ts';
import { problem } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import type { RetainedRecords } from '../../kernel/retention.ts';
import type { Sessions } from '../../kernel/session-runner.ts';
import { whenOver } from '../../kernel/sessions-over.ts';
import { TakenOverSessions } from '../../kernel/taken-over-sessions.ts';
import type { Calls } from '../calls/index.ts';
import { type CallStreamDeps, createCommands, type StreamCommands } from './commands.ts';
import type { NewStream } from './domain/new-stream.ts';
import { newStream, type Stream, type StreamInput } from './domain/stream.ts';
import { createLiveStreams, type LiveStreams } from './live/live-streams.ts';
import { createUpgradeSigner, type UpgradeSignerDeps } from './live/sign-upgrade.ts';
import { streamsTable } from './migrations/0001-streams.ts';
import { streamsOfSubaccounts } from './migrations/0002-streams-of-subaccounts.ts';
import { streamFailureCodes } from './migrations/0003-failure-codes.ts';
import { streamIncarnation } from './migrations/0004-incarnation.ts';
import { streamsByEnd } from './migrations/0005-streams-by-end.ts';
import type { StreamNotice, Streams } from './public-api.ts';
import { createQueries, type StreamQueries } from './queries.ts';
import { streamResources } from './resources.ts';
import { streamRoutes } from './routes.ts';
import { defineSessions, type SessionDeps } from './sessions.ts';
import { claimLeftStreams, leftStreams, removeEndedStreams } from './store.ts';

export interface StreamsDeps extends SessionDeps, UpgradeSignerDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly newUuid: () => string;
  readonly calls: Pick<Calls, 'peek' | 'whenOver'> & CallStreamDeps['calls'];
  /** How long streams of calls are kept after their end; for ever when left out. */
  readonly keepCallsMs?: number;
}

export interface StreamsFeature extends Feature, Streams {
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  readonly resources: AccountResources;
  readonly queries: StreamQueries;
  readonly commands: StreamCommands;
  /** Ended streams of calls; those of multiparty calls are removed by the feature of room streams. */
  readonly retained: RetainedRecords;
  /** Ends the live streams of the last process, as of its death; called once, before the first start. Resolves with their number. */
  endIncarnation(ended: EndedIncarnation): Promise<number>;
}

/** The kind of owner of streams that the API starts; it has no listener. */
const apiOwner = 'api';

/** Live streams of one call, or of one multiparty call; a program with more has a fault. */
const maxStreams = 8;

/** Audio of calls to and from WebSocket servers: started by their owners, kept, listed and ended. */
export function createStreams(deps: StreamsDeps): StreamsFeature {
  const { database, calls, log } = deps;
  const owners = createOwners<StreamNotice>();
  const live = createLiveStreams();
  const queries = createQueries(database);
  const takenOver = new TakenOverSessions<Stream>(deps.database);
  const sessions = defineSessions(deps, {
    sign: createUpgradeSigner(deps),
    notifyOwner: ({ stream, owner }, notice) =>
      notifyOrLog(owners, log, { kind: 'stream', id: stream }, owner, notice),
    whenEnded: live.remove,
  });

  const stop: Streams['stop'] = (stream, reason) => {
    // Also a stream whose record is being written.
    if (live.has(stream)) sessions.send(stream, { type: 'stop-asked', reason });
  };
  const start = createStart(deps, sessions, live, stop);
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
  owners.ownedBy(apiOwner, () => {});

  return {
    name: 'streams',
    migrations: [streamsTable, streamsOfSubaccounts, streamFailureCodes, streamIncarnation, streamsByEnd],
    queries,
    commands,
    routes: [streamRoutes(commands, queries, deps.usage)],
    resources: streamResources(stop),
    retained: {
      name: 'streams of calls',
      keepMs: deps.keepCallsMs,
      removeEnded: (endedBefore, limit) => removeEndedStreams(database, 'calls', endedBefore, limit),
    },
    removeEndedOfRooms: (endedBefore, limit) => removeEndedStreams(database, 'rooms', endedBefore, limit),
    ownedBy: owners.ownedBy,
    start,
    retrack(stream, tracks, hearers) {
      if (live.has(stream)) sessions.send(stream, { type: 'retrack-asked', tracks, hearers });
    },
    stop,
    endIncarnation: (ended) => endSessions(deps, sessions, takenOver, ended),
  };
}

type LiveSessions = Sessions<Stream, StreamInput>;

function createStart(
  { clock, calls }: StreamsDeps,
  sessions: LiveSessions,
  live: LiveStreams,
  stop: Streams['stop'],
): Streams['start'] {
  return async (order) => {
    const refusal = refusalOf(order, live);
    if (refusal !== undefined) return refused(refusal);
    const { tracks, hearers, ...settings } = order;
    live.add(order);
    // A stream that is a leg is a participant that a client knows.
    const isPromised = order.asLeg !== undefined;
    const begin = { type: 'ordered', tracks, hearers } as const;
    try {
      await sessions.open(order.stream, newStream(settings, clock.wallNow()), begin, { isPromised });
    } catch (error) {
      live.remove(order);
      throw error;
    }
    // The call may have ended while the record was written: \`whenOver\` came before the stream was live.
    if (live.endsWithLeg(order) && calls.peek(order.callUuid) === undefined) {
      stop(order.stream, 'Call hangup');
    }
    return accepted(undefined);
  };
}

function refusalOf(order: NewStream, live: LiveStreams) {
  const others = live.beside(order);
  const url = normalised(order.serviceUrl);
  if (others.some(({ serviceUrl }) => normalised(serviceUrl) === url)) {
    const sentence = 'service_url must be a URL to which this call has no live stream';
    return { ...problem('invalid-parameter', sentence), parameter: 'service_url' };
  }
  if (others.length < maxStreams) return undefined;
  const sentence = `this call has ${maxStreams} live streams already: stop one of them first`;
  return problem('limit-reached', sentence);
}

/** The URL as its server sees it, in any spelling. */
function normalised(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

async function endSessions(
  { database, runner }: StreamsDeps,
  sessions: LiveSessions,
  takenOver: TakenOverSessions<Stream>,
  { number, diedAt }: EndedIncarnation,
): Promise<number> {
  const left = await takenOver.take({
    read: () => leftStreams(database.read, number),
    idOf: ({ order }) => order.stream,
    resume(stream) {
      const since = stream.startedAt ?? stream.createdAt;
      sessions.resume(stream.order.stream, stream, { type: 'process-restarted', diedAt: diedAt(since) });
    },
    claim: (write) => claimLeftStreams(write, number, runner.incarnation),
  });
  await whenOver(
    runner,
    sessions,
    left.map(({ order }) => order.stream),
  );
  return left.length;
}
