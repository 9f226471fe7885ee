import { legSpec } from '@jackfield/ports';
import { notFound, problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { Admitted } from '../../media-links/index.ts';
import type { CallReference } from '../domain/call-reference.ts';
import type { CallSettings, MultipartyCallReply } from '../domain/multiparty-call.ts';
import { type AgentStream, addedParticipant, exited } from '../domain/participant.ts';
import type { RequestedAddition } from '../participant-parameters.ts';
import type { Viewer } from '../queries.ts';
import { exitFieldsOf } from './exit-fields.ts';
import { type JoiningParticipant, readJoining } from './joining-participant.ts';
import { outlast } from './leg-limits.ts';
import { ownerOf } from './leg-owner.ts';
import {
  type AddedPhones,
  addedPhones,
  admitMoved,
  admittedAs,
  type JoinedParticipant,
  lost,
  type MovedCall,
  move,
  withdraw,
} from './moved-calls.ts';
import { type Addition, type AdditionDeps, type Placed, placeRivals } from './placement.ts';

/** The ways into a multiparty call: a dialled leg, a moved leg, or a leg that its document lends. */
export function createAdditions(deps: AdditionDeps) {
  return {
    add: (viewer: Viewer, reference: CallReference, requested: RequestedAddition) =>
      add(deps, viewer, reference, requested),
    join: (order: JoiningParticipant) => join(deps, order),
    /** Carries out the order of another node, whose leg is here. */
    admit: (order: JoiningParticipant | MovedCall) =>
      'requested' in order ? admitMoved(deps, order) : admit(deps, order),
  };
}

/** Adds on request of the API. */
async function add(
  deps: AdditionDeps,
  viewer: Viewer,
  reference: CallReference,
  requested: RequestedAddition,
): Promise<Result<AddedPhones>> {
  if (requested.callUuid !== null)
    return move(deps, { viewer, reference, requested, leg: requested.callUuid });
  const [first, ...others] = requested.phones;
  const leg = deps.newUuid();
  // One destination: the request and its call share their identifier, as clients of the hosted service expect.
  const requestUuid = others.length === 0 ? leg : deps.newUuid();
  const named = { ...requested.participant, requestUuid, origin: 'dialled' } as const;
  const added = await placeRivals(deps, viewer, reference, requested.settings, [
    { ...named, ...first, leg },
    ...others.map((phone) => ({ ...named, ...phone, leg: deps.newUuid() })),
  ]);
  return added.ok ? accepted(addedPhones(added.value)) : added;
}

/** How often a join looks for the node of the multiparty call, which ended meanwhile. */
const attempts = 5;

/** At the node where the multiparty call lives: at this one, where there is none. */
async function join(deps: AdditionDeps, order: JoiningParticipant): Promise<Result<JoinedParticipant>> {
  const { name, agent } = order.instruction;
  const isLegHere = () => agent !== undefined || deps.calls.peek(order.leg)?.phase === 'answered';
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (!isLegHere()) return refused(notFound('answered call', order.leg));
    const placed = await placeJoining(deps, order, readJoining(order).settings);
    if (!('home' in placed) || deps.elsewhere === undefined) return joined(deps, order, placed);
    const { home, mpcUuid: mix } = placed;
    const leg = agent === undefined ? { leg: order.leg } : {};
    const admitted = await deps.elsewhere.join({ order, home, mix, ...leg });
    if (admitted !== 'not-there') return admitted;
  }
  return refused(problem('conflict', `multiparty call "${name}" is beginning or ending at another node`));
}

/** For another node, which has found the multiparty call at this one; none is created for it. */
async function admit(deps: AdditionDeps, order: JoiningParticipant): Promise<Result<Admitted> | 'not-there'> {
  const placed = await placeJoining(deps, order, undefined);
  if (!placed.ok && ('home' in placed || placed.problem.code === 'not-found')) return 'not-there';
  const admitted = await joined(deps, order, placed);
  if (!admitted.ok) return admitted;
  return accepted(admittedAs(deps, admitted.value, order.leg));
}

/** Adds the caller, or the program that joins for its document. */
function placeJoining(
  deps: AdditionDeps,
  order: JoiningParticipant,
  settings: CallSettings | undefined,
): Promise<Placed> {
  const { leg, from, instruction } = order;
  const { name, agent } = instruction;
  const { participant } = readJoining(order);
  const requested =
    agent === undefined ? borrowed(deps, participant, leg) : agentOf(deps, participant, from, agent);
  return placeRivals(deps, viewerOf(order), { text: name, name }, settings, [requested]);
}

function borrowed(
  { calls, newUuid }: AdditionDeps,
  participant: ReturnType<typeof readJoining>['participant'],
  leg: string,
) {
  const live = calls.peek(leg);
  const known = live && { callParameters: calls.parametersOf(live) };
  return { ...participant, ...known, leg, requestUuid: newUuid(), origin: 'borrowed' } as const;
}

/** A program, which joins while the document goes on. */
function agentOf(
  deps: AdditionDeps,
  participant: ReturnType<typeof readJoining>['participant'],
  from: string,
  agent: AgentStream,
) {
  const leg = deps.newUuid();
  const spec = legSpec({ ...participant.spec, from, to: 'ai-agent' });
  return { ...participant, spec, agent, leg, requestUuid: leg, origin: 'dialled' } as const;
}

/**
 * Borrows the answered leg of a participant from the document that runs on it. After a success the leg is returned exactly once
 * (`leg-returned`, perhaps before the promise resolves), unless it ends or is claimed before.
 */
async function joined(
  deps: AdditionDeps,
  { leg, instruction: { name, agent } }: JoiningParticipant,
  placed: Result<Addition>,
): Promise<Result<JoinedParticipant>> {
  const { calls, sessions } = deps;
  if (!placed.ok) return placed;
  const {
    mpcUuid,
    rivals: [participant],
  } = placed.value;
  const { memberId, requestUuid } = participant;
  const value = { mpcUuid, memberId: String(memberId), requestUuid };
  if (agent !== undefined) return accepted(value);
  if (!(await calls.lend(leg, ownerOf(mpcUuid)))) return lost(deps, mpcUuid, leg);
  const here = { type: 'leg-here', leg, isAnswered: true } as const;
  const reply = await sessions.ask<MultipartyCallReply>(mpcUuid, here).catch(() => {
    // The step was not saved.
    withdraw(deps, mpcUuid, leg);
  });
  if (reply === 'done') outlast(deps, mpcUuid, leg);
  else {
    // The participant never joined; its leg returns to the document as after a conversation.
    const now = deps.clock.wallNow();
    const gone = exited(addedParticipant(participant, now), 'Multiparty Call Ended', now);
    calls.giveBack(leg, ownerOf(mpcUuid), exitFieldsOf({ uuid: mpcUuid, name }, gone));
  }
  return accepted(value);
}

function viewerOf({ account, mainAccount }: JoiningParticipant): Viewer {
  return { authId: account, isSubaccount: account !== mainAccount, main: mainAccount };
}
