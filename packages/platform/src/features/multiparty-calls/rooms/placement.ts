import type { Clock, Database } from '@jackfield/ports';
import type { KeyedQueue } from '../../../kernel/keyed-queue.ts';
import { draining, invalidParameter, type Problem, problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { Sessions } from '../../../kernel/session-runner.ts';
import type { Calls } from '../../calls/index.ts';
import type { Elsewhere } from '../../media-links/index.ts';
import type { Rate, Usage } from '../../usage/index.ts';
import type { CallReference } from '../domain/call-reference.ts';
import { friendlyNameAllowed, isFriendlyName } from '../domain/friendly-name.ts';
import {
  type CallSettings,
  type MultipartyCall,
  type MultipartyCallInput,
  type MultipartyCallReply,
  newMultipartyCall,
  type Rivals,
} from '../domain/multiparty-call.ts';
import type { RequestedParticipant } from '../domain/participant.ts';
import type { MultipartyCallQueries, Viewer } from '../queries.ts';
import { hasEnded, noSuchCall, problemOfRefusal, roomElsewhere } from '../refusals.ts';

export interface AdditionDeps {
  readonly sessions: Sessions<MultipartyCall, MultipartyCallInput>;
  readonly calls: Calls;
  readonly queries: MultipartyCallQueries;
  readonly memberIds: { next(): Promise<number> };
  readonly additions: KeyedQueue;
  readonly database: Database;
  readonly usage: Pick<Usage, 'rateOfStreams'>;
  readonly clock: Clock;
  readonly newUuid: () => string;
  /** Of this node. */
  readonly incarnation: number;
  /** True while this node takes no new multiparty calls. */
  readonly isDraining: () => boolean;
  /** Multiparty calls of other nodes; absent where one process owns the database. */
  readonly elsewhere?: Elsewhere;
}

/** What a request added: one participant, or several phones for one slot. */
export interface Addition {
  readonly rivals: Rivals;
  readonly mpcUuid: string;
}

/** Refused, because the multiparty call lives at another node. */
interface LivesElsewhere {
  readonly ok: false;
  readonly problem: Problem;
  /** The incarnation, and the mix of the call. */
  readonly home: number;
  readonly mpcUuid: string;
}

export type Placed = Result<Addition> | LivesElsewhere;

/** A participant without its member id. */
type Unnumbered = Omit<RequestedParticipant, 'memberId' | 'rate'>;

/** Phones for one slot; the first to answer joins. */
type RequestedRivals = readonly [Unnumbered, ...Unnumbered[]];

/** How often an addition looks the call up again when the call ended meanwhile. */
const attempts = 5;

/** Seconds after which a client that was refused while draining may try again. */
const drainRetrySeconds = 10;

/**
 * Adds to the live call of that name, or to a new call; without `settings` to a live call alone. Additions to one name run one after
 * another.
 */
export async function placeRivals(
  deps: AdditionDeps,
  viewer: Viewer,
  reference: CallReference,
  settings: CallSettings | undefined,
  requested: RequestedRivals,
): Promise<Placed> {
  const { queries } = deps;
  const found = reference.uuid === undefined ? undefined : await queries.findByUuid(viewer, reference.uuid);
  if (found !== undefined) {
    if (found.ended_at !== null) return refused(hasEnded(found.mpc_uuid));
    return placeInto(deps, found.mpc_uuid, await numberedRivals(deps, requested));
  }
  const { name } = reference;
  if (name === undefined) return refused(noSuchCall(reference));
  if (!isFriendlyName(name)) {
    return refused(invalidParameter('friendly_name', name, friendlyNameAllowed));
  }
  return deps.additions.run(`${viewer.authId}/${name}`, () =>
    placeByName(deps, viewer, name, settings, requested),
  );
}

async function placeByName(
  deps: AdditionDeps,
  viewer: Viewer,
  name: string,
  settings: CallSettings | undefined,
  requested: RequestedRivals,
): Promise<Placed> {
  const rivals = await numberedRivals(deps, requested);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const live = await deps.queries.live(viewer.authId, name);
    if (live !== undefined && Number(live.incarnation) !== deps.incarnation) {
      const { mpc_uuid: mpcUuid, incarnation } = live;
      return { ...refused(roomElsewhere(name)), home: Number(incarnation), mpcUuid };
    }
    const result = await placeOrCreate(deps, viewer, name, live?.mpc_uuid, settings, rivals);
    // The call ended, or another node created it, between the lookup and the request.
    if (result !== undefined) return result;
  }
  return refused(
    problem('conflict', `multiparty call "${name}" is beginning or ending in another process: try again`),
  );
}

async function placeOrCreate(
  deps: AdditionDeps,
  viewer: Viewer,
  name: string,
  live: string | undefined,
  settings: CallSettings | undefined,
  rivals: Rivals,
): Promise<Placed | undefined> {
  if (live !== undefined) {
    const placed = await placeInto(deps, live, rivals);
    // It ended between the lookup and the request.
    return placed.ok || placed.problem.code !== 'not-found' ? placed : undefined;
  }
  if (settings !== undefined && rivals[0].joinsOthersOnly !== true)
    return create(deps, viewer, name, settings, rivals);
  return refused(noSuchCall({ text: name, name }));
}

async function create(
  deps: AdditionDeps,
  viewer: Viewer,
  name: string,
  settings: CallSettings,
  rivals: Rivals,
): Promise<Placed | undefined> {
  // A live leg that moves is no new call, and a live multiparty call still takes members: agents are relieved while a node drains for hours.
  if (rivals[0].origin === 'dialled' && deps.isDraining()) return refused(draining(drainRetrySeconds));
  const { authId: account, main: mainAccount } = viewer;
  const call = newMultipartyCall(
    { uuid: deps.newUuid(), account, mainAccount, name, createdAt: deps.clock.wallNow() },
    settings,
  );
  try {
    await deps.sessions.open(call.uuid, call, { type: 'created', rivals });
  } catch (error) {
    if (deps.database.isUniqueViolation(error)) return undefined;
    throw error;
  }
  return accepted({ rivals, mpcUuid: call.uuid });
}

async function numberedRivals(deps: AdditionDeps, [first, ...others]: RequestedRivals): Promise<Rivals> {
  const rivals: [RequestedParticipant, ...RequestedParticipant[]] = [await numbered(deps, first)];
  for (const each of others) rivals.push(await numbered(deps, each));
  return rivals;
}

async function numbered(deps: AdditionDeps, requested: Unnumbered): Promise<RequestedParticipant> {
  return { ...requested, rate: rateOf(deps, requested), memberId: await deps.memberIds.next() };
}

/** The rate of its leg, which a moved call keeps. */
function rateOf({ calls, usage }: AdditionDeps, { leg, spec, agent }: Unnumbered): Rate {
  if (agent !== undefined) return usage.rateOfStreams();
  return calls.peek(leg)?.rate ?? calls.rateOfDialled(spec.to);
}

async function placeInto(
  { sessions }: AdditionDeps,
  mpcUuid: string,
  rivals: Rivals,
): Promise<Result<Addition>> {
  const reply = await sessions.ask<MultipartyCallReply>(mpcUuid, { type: 'add-participant', rivals });
  if (reply === 'done') return accepted({ rivals, mpcUuid });
  return refused(problemOfRefusal(mpcUuid, reply ?? { because: 'ended' }));
}
