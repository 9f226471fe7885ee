import type { Clock, Database, Migration } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RequestAccount, RouteGroup } from '../../http/index.ts';
import type { EndedIncarnation } from '../../kernel/incarnation.ts';
import { createKeyedQueue } from '../../kernel/keyed-queue.ts';
import type { Result } from '../../kernel/result.ts';
import type { RetainedRecords } from '../../kernel/retention.ts';
import { whenOver } from '../../kernel/sessions-over.ts';
import { TakenOverSessions } from '../../kernel/taken-over-sessions.ts';
import type { RunOrder } from '../call-instructions/index.ts';
import type { Elsewhere } from '../media-links/index.ts';
import { createCommands, type MultipartyCallCommands } from './commands.ts';
import { readCallReference } from './domain/call-reference.ts';
import type { MultipartyCall } from './domain/multiparty-call.ts';
import { hearingHistoryRoute } from './hearing-history-routes.ts';
import { createLiveRooms } from './live-queries.ts';
import { memberSoundRoutes } from './member-sound-routes.ts';
import { multipartyCallsTables } from './migrations/0001-multiparty-calls.ts';
import { recordingsAndHearing } from './migrations/0002-recordings-and-hearing.ts';
import { multipartyBills } from './migrations/0003-bills.ts';
import { openHearingByListener } from './migrations/0004-open-hearing-by-listener.ts';
import { participantsOfAStart } from './migrations/0005-participants-of-a-start.ts';
import { multipartyCallsByEnd } from './migrations/0006-multiparty-calls-by-end.ts';
import { liveByAccount } from './migrations/0007-live-by-account.ts';
import { multipartyCallIncarnation } from './migrations/0008-incarnation.ts';
import { pendingByRequest } from './migrations/0009-pending-by-request.ts';
import { createQueries, type MultipartyCallQueries } from './queries.ts';
import { createRecordingCommands } from './recording-commands.ts';
import { recordingRoutes } from './recording-routes.ts';
import { createAccountResources } from './resources.ts';
import { createExitDocuments, type ExitDocuments } from './rooms/exit-documents.ts';
import { fieldsOfLoss } from './rooms/exit-fields.ts';
import type { JoiningParticipant } from './rooms/joining-participant.ts';
import { createMemberIds } from './rooms/member-ids.ts';
import type { JoinedParticipant, MovedCall } from './rooms/moved-calls.ts';
import { createPendingPhones } from './rooms/pending-phones.ts';
import { createRoomChanges } from './rooms/room-changes.ts';
import { createRooms, type Rooms } from './rooms/rooms.ts';
import { multipartyCallRoutes } from './routes.ts';
import { searchMultipartyCalls } from './search-queries.ts';
import { defineSessions, type SessionDeps } from './sessions.ts';
import { claimLeftCalls, leftCalls, removeEndedCalls } from './store.ts';

export interface MultipartyCallsDeps extends Omit<SessionDeps, 'exitDocuments' | 'changes'> {
  readonly database: Database;
  readonly clock: Clock;
  readonly newUuid: () => string;
  /** True while the process shuts down: requests to add participants are refused. False when left out. */
  readonly isDraining?: () => boolean;
  /** Multiparty calls of other nodes; absent where one process owns the database. */
  readonly elsewhere?: Elsewhere;
  /** How long records are kept after the end of their calls; for ever when left out. */
  readonly keepMultipartyCallsMs?: number;
}

export interface MultipartyCallsFeature extends Feature {
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  readonly commands: MultipartyCallCommands;
  readonly queries: MultipartyCallQueries;
  readonly rooms: Rooms;
  /** Live calls of a viewer, in the order of their UUIDs, behind `after`. */
  readonly live: ReturnType<typeof createLiveRooms>;
  readonly exitDocuments: Pick<ExitDocuments, 'runBy'>;
  /** Adds a caller whose document reached a MultiPartyCall element; its leg is borrowed until it leaves. */
  join(order: JoiningParticipant): Promise<Result<JoinedParticipant>>;
  readonly resources: AccountResources;
  /** Ended calls, with their participants and hearing history. */
  readonly retained: RetainedRecords;
  /** Ends the calls that the last process left behind; called once, before the first request. Resolves with their number. */
  endIncarnation(ended: EndedIncarnation): Promise<number>;
}

const multipartyCallMigrations: readonly Migration[] = [
  multipartyCallsTables,
  recordingsAndHearing,
  multipartyBills,
  openHearingByListener,
  participantsOfAStart,
  multipartyCallsByEnd,
  liveByAccount,
  multipartyCallIncarnation,
  pendingByRequest,
];

/** Multiparty calls: their participants, who hears whom, and when they end. */
export function createMultipartyCalls(deps: MultipartyCallsDeps): MultipartyCallsFeature {
  const { database, runner, clock, newUuid } = deps;
  const queries = createQueries(database);
  const exitDocuments = createExitDocuments(deps);
  const changes = createRoomChanges();
  const sessions = defineSessions({ ...deps, exitDocuments, changes });
  const takenOver = new TakenOverSessions<MultipartyCall>(database);
  const commands = createCommands({
    sessions,
    calls: deps.calls,
    usage: deps.usage,
    queries,
    memberIds: createMemberIds(database),
    additions: createKeyedQueue(),
    database,
    clock,
    newUuid,
    incarnation: runner.incarnation,
    isDraining: deps.isDraining ?? (() => false),
    ...(deps.elsewhere && { elsewhere: deps.elsewhere }),
  });
  deps.elsewhere?.admitBy({
    admit: (order) => commands.admit(order as JoiningParticipant | MovedCall),
    runDocument: (owner, document) => exitDocuments.begin(owner, document as RunOrder),
    fieldsOfLoss,
  });
  deps.calls.dialledLaterBy(createPendingPhones(database, commands.cancelRequest));
  const homeOfRoom = async (viewer: RequestAccount, mpc: string) => {
    const call = await queries.find(viewer, readCallReference(mpc));
    return call === undefined || call.ended_at !== null ? undefined : Number(call.incarnation);
  };
  const routes = multipartyCallRoutes({ commands, queries, canTranscribe: deps.recordings.canTranscribe });

  return {
    name: 'multiparty-calls',
    homes: [
      {
        // A live call begins a multiparty call where it lives itself.
        operations: 'POST MultiPartyCall/:mpc/Participant/',
        async of(viewer, { params: { mpc = '' }, body }) {
          const home = await homeOfRoom(viewer, mpc);
          const { call_uuid: leg } = body as { readonly call_uuid?: string };
          return home === undefined && leg !== undefined ? deps.calls.homeOf(viewer, leg) : home;
        },
      },
      {
        operations: 'MultiPartyCall/:mpc/',
        of: (viewer, { params: { mpc = '' } }) => homeOfRoom(viewer, mpc),
      },
    ],
    migrations: multipartyCallMigrations,
    routes: [
      {
        ...routes,
        routes: [
          ...routes.routes,
          hearingHistoryRoute(queries, database),
          ...memberSoundRoutes(commands),
          ...recordingRoutes(createRecordingCommands({ ...deps, sessions, queries })),
        ],
      },
    ],
    search: searchMultipartyCalls(database),
    commands,
    queries,
    live: createLiveRooms(database),
    rooms: createRooms(sessions, queries, changes.follow),
    exitDocuments,
    join: commands.join,
    resources: createAccountResources(database, sessions),
    retained: {
      name: 'multiparty calls',
      keepMs: deps.keepMultipartyCallsMs,
      removeEnded: (endedBefore, limit) => removeEndedCalls(database, endedBefore, limit),
    },
    async endIncarnation({ number, diedAt }) {
      const left = await takenOver.take({
        read: () => leftCalls(database.read, number),
        idOf: ({ uuid }) => uuid,
        resume(call) {
          const since = call.startedAt ?? call.createdAt;
          sessions.resume(call.uuid, call, { type: 'process-restarted', diedAt: diedAt(since) });
        },
        claim: (write) => claimLeftCalls(write, number, runner.incarnation),
      });
      await whenOver(
        runner,
        sessions,
        left.map(({ uuid }) => uuid),
      );
      const stuck = left.filter(({ uuid }) => sessions.peek(uuid) !== undefined);
      // Their names would stay in use: a process does not start, and a successor tries again.
      if (stuck.length > 0) throw new Error(`${stuck.length} multiparty calls could not be ended`);
      return left.length;
    },
  };
}
