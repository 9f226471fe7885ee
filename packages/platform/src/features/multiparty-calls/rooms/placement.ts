import type { Clock, Database } from '@jackfield/ports';
import type { KeyedQueue } from '../../../kernel/keyed-queue.ts';
import { invalidParameter, problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { Sessions } from '../../../kernel/session-runner.ts';
import type { Calls } from '../../calls/index.ts';
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
import type { WantedParticipant } from '../domain/participant.ts';
import type { MultipartyCallQueries, Viewer } from '../queries.ts';
import { hasEnded, noSuchCall, problemOfRefusal } from '../refusals.ts';

export interface AdditionDeps {
  readonly sessions: Sessions<MultipartyCall, MultipartyCallInput>;
  readonly calls: Calls;
  readonly queries: MultipartyCallQueries;
  readonly memberIds: { next(): Promise<number> };
  readonly additions: KeyedQueue;
  readonly database: Database;
  readonly usage: Pick<Usage, 'rateOf' | 'rateOfStreams'>;
  readonly clock: Clock;
  readonly newUuid: () => string;
  readonly isDraining: () => boolean;
}

/** What a request has added: one participant, or several phones for one place. */
export interface Addition {
  readonly rivals: Rivals;
  readonly mpcUuid: string;
}

/** Before it has its number in the call. */
type Unnumbered = Omit<WantedParticipant, 'memberId' | 'rate'>;

/** Phones that are called for one participant; the first that answers joins. */
type WantedRivals = readonly [Unnumbered, ...Unnumbered[]];

/** How often an addition looks again when the call that it found ended under its hands. */
const attempts = 5;

/** Into the live call of that name, or a new one. Additions to one name are taken one after another. */
export async function placeRivals(
  deps: AdditionDeps,
  viewer: Viewer,
  reference: CallReference,
  settings: CallSettings,
  wanted: WantedRivals,
): Promise<Result<Addition>> {
  const { queries } = deps;
  const found = reference.uuid === undefined ? undefined : await queries.findByUuid(viewer, reference.uuid);
  if (found !== undefined) {
    if (found.ended_at !== null) return refused(hasEnded(found.mpc_uuid));
    return placeInto(deps, found.mpc_uuid, await numberedRivals(deps, wanted));
  }
  const { name } = reference;
  if (name === undefined) return refused(noSuchCall(reference));
  if (!isFriendlyName(name)) {
    return refused(invalidParameter('friendly_name', name, friendlyNameAllowed));
  }
  return deps.additions.run(`${viewer.authId}/${name}`, () =>
    placeByName(deps, viewer, name, settings, wanted),
  );
}

async function placeByName(
  deps: AdditionDeps,
  viewer: Viewer,
  name: string,
  settings: CallSettings,
  wanted: WantedRivals,
): Promise<Result<Addition>> {
  const rivals = await numberedRivals(deps, wanted);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const live = await deps.queries.live(viewer.authId, name);
    if (live === undefined && rivals[0].joinsOthersOnly) return refused(noSuchCall({ text: name, name }));
    const result =
      live === undefined
        ? await create(deps, viewer, name, settings, rivals)
        : await placeInto(deps, live.mpc_uuid, rivals);
    // It ended, or another node created it, between the look and the request.
    if (result !== undefined && (result.ok || result.problem.code !== 'not-found')) return result;
  }
  return refused(
    problem('conflict', `multiparty call "${name}" is just beginning or ending elsewhere; try again`),
  );
}

async function create(
  deps: AdditionDeps,
  viewer: Viewer,
  name: string,
  settings: CallSettings,
  rivals: Rivals,
): Promise<Result<Addition> | undefined> {
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

async function numberedRivals(deps: AdditionDeps, [first, ...others]: WantedRivals): Promise<Rivals> {
  const rivals: [WantedParticipant, ...WantedParticipant[]] = [await numbered(deps, first)];
  for (const each of others) rivals.push(await numbered(deps, each));
  return rivals;
}

async function numbered(deps: AdditionDeps, wanted: Unnumbered): Promise<WantedParticipant> {
  return { ...wanted, rate: rateOf(deps, wanted), memberId: await deps.memberIds.next() };
}

/** That of its leg: a phone that called us is billed as such, wherever it is moved to. */
function rateOf({ calls, usage }: AdditionDeps, { origin, leg, spec, agent }: Unnumbered): Rate {
  if (agent !== undefined) return usage.rateOfStreams();
  const isInbound = origin !== 'dialled' && calls.peek(leg)?.direction === 'inbound';
  return isInbound ? usage.rateOf('inbound', 'sip') : usage.rateOf('outbound', spec.to);
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
