import { legSpec } from '@jackfield/ports';
import { notFound } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import { liveCallOf } from '../../calls/index.ts';
import type { CallReference } from '../domain/call-reference.ts';
import type { MultipartyCallReply } from '../domain/multiparty-call.ts';
import { type AgentStream, addedParticipant, exited } from '../domain/participant.ts';
import type { RequestedAddition } from '../participant-parameters.ts';
import type { Viewer } from '../queries.ts';
import { callElsewhere, problemOfRefusal } from '../refusals.ts';
import { exitFieldsOf } from './exit-fields.ts';
import { type JoiningParticipant, readJoining } from './joining-participant.ts';
import { endOf, ownerKind, ownerOf } from './leg-owner.ts';
import { type Addition, type AdditionDeps, placeRivals } from './placement.ts';

export interface JoinedParticipant {
  readonly mpcUuid: string;
  readonly memberId: string;
  readonly requestUuid: string;
}

/** The ways into a multiparty call: a dialled leg, a moved leg, or a leg that its document lends. */
export function createAdditions(deps: AdditionDeps) {
  return {
    add: (viewer: Viewer, reference: CallReference, requested: RequestedAddition) =>
      add(deps, viewer, reference, requested),
    join: (order: JoiningParticipant) => join(deps, order),
  };
}

/** Adds on request of the API. */
async function add(
  deps: AdditionDeps,
  viewer: Viewer,
  reference: CallReference,
  requested: RequestedAddition,
): Promise<Result<Addition>> {
  if (requested.callUuid !== null) return move(deps, viewer, reference, requested, requested.callUuid);
  const [first, ...others] = requested.phones;
  const leg = deps.newUuid();
  // One destination: the request and its call share their identifier, as clients of the hosted service expect.
  const requestUuid = others.length === 0 ? leg : deps.newUuid();
  const named = { ...requested.participant, requestUuid, origin: 'dialled' } as const;
  return placeRivals(deps, viewer, reference, requested.settings, [
    { ...named, ...first, leg },
    ...others.map((phone) => ({ ...named, ...phone, leg: deps.newUuid() })),
  ]);
}

/** Claims a live call from its owner (docs/interface/multiparty-calls.md#adding-participants). */
async function move(
  deps: AdditionDeps,
  viewer: Viewer,
  reference: CallReference,
  requested: RequestedAddition,
  leg: string,
): Promise<Result<Addition>> {
  const { calls, sessions } = deps;
  const found = liveCallOf(calls, viewer, leg);
  if (!found.ok) return (await calls.livesElsewhere(viewer, leg)) ? refused(callElsewhere(leg)) : found;
  const live = found.value;
  const { from, to, callerName } = live;
  const added = await placeRivals(deps, viewer, reference, requested.settings, [
    {
      ...requested.participant,
      spec: legSpec({ from, to, callerName }),
      delaySeconds: 0,
      callStatusCallback: null,
      leg,
      requestUuid: deps.newUuid(),
      origin: 'taken',
    },
  ]);
  if (!added.ok) return added;
  const { mpcUuid } = added.value;
  if (!(await calls.take(leg, ownerOf(mpcUuid)))) return lost(deps, mpcUuid, leg);
  const isAnswered = calls.peek(leg)?.phase === 'answered';
  const reply = await sessions.ask<MultipartyCallReply>(mpcUuid, { type: 'leg-here', leg, isAnswered });
  if (reply === 'done') {
    if (!isAnswered && live.direction === 'inbound') calls.answer(leg);
    return added;
  }
  // The call ended, or the participant was kicked, during the handover: no other owner hangs the leg up.
  const owner = calls.peek(leg)?.owner;
  if (owner?.kind === ownerKind && owner.id === mpcUuid) calls.hangUp(leg, endOf('end-requested'));
  return refused(problemOfRefusal(mpcUuid, reply ?? { because: 'ended' }));
}

/**
 * Borrows an answered leg from the document that runs on it. After a success the leg is returned exactly once
 * (`leg-returned`, perhaps before the promise resolves), unless it ends or is claimed before.
 */
async function join(deps: AdditionDeps, order: JoiningParticipant): Promise<Result<JoinedParticipant>> {
  const { calls, sessions } = deps;
  const { leg, account, mainAccount } = order;
  if (order.instruction.agent !== undefined) return joinAgent(deps, order, order.instruction.agent);
  if (calls.peek(leg)?.phase !== 'answered') return refused(notFound('answered call', leg));
  const viewer = { authId: account, isSubaccount: account !== mainAccount, main: mainAccount };
  const { name } = order.instruction;
  const { participant: requested, settings } = readJoining(order);
  const names = { leg, requestUuid: deps.newUuid(), origin: 'borrowed' } as const;
  const added = await placeRivals(deps, viewer, { text: name, name }, settings, [{ ...requested, ...names }]);
  if (!added.ok) return added;
  const {
    mpcUuid,
    rivals: [participant],
  } = added.value;
  if (!(await calls.lend(leg, ownerOf(mpcUuid)))) return lost(deps, mpcUuid, leg);
  const reply = await sessions.ask<MultipartyCallReply>(mpcUuid, {
    type: 'leg-here',
    leg,
    isAnswered: true,
  });
  if (reply !== 'done') {
    // The participant never joined; its leg returns to the document as after a conversation.
    const now = deps.clock.wallNow();
    const gone = exited(addedParticipant(participant, now), 'Multiparty Call Ended', now);
    calls.giveBack(leg, ownerOf(mpcUuid), exitFieldsOf({ uuid: mpcUuid, name }, gone));
  }
  const { memberId, requestUuid } = participant;
  return accepted({ mpcUuid, memberId: String(memberId), requestUuid });
}

/** Adds a program for a document, which goes on. */
async function joinAgent(
  deps: AdditionDeps,
  order: JoiningParticipant,
  agent: AgentStream,
): Promise<Result<JoinedParticipant>> {
  const { account, mainAccount, from } = order;
  const viewer = { authId: account, isSubaccount: account !== mainAccount, main: mainAccount };
  const { name } = order.instruction;
  const { participant, settings } = readJoining(order);
  const leg = deps.newUuid();
  const spec = legSpec({ ...participant.spec, from, to: 'ai-agent' });
  const added = await placeRivals(deps, viewer, { text: name, name }, settings, [
    { ...participant, spec, agent, leg, requestUuid: leg, origin: 'dialled' },
  ]);
  if (!added.ok) return added;
  const [{ memberId, requestUuid }] = added.value.rivals;
  return accepted({ mpcUuid: added.value.mpcUuid, memberId: String(memberId), requestUuid });
}

/** The leg ended, or was lent to another owner, between the lookup and the request. */
function lost({ sessions }: AdditionDeps, mpcUuid: string, leg: string): Result<never> {
  sessions.send(mpcUuid, { type: 'leg-ended', leg });
  return refused(notFound('live call', leg));
}
