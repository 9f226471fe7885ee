import { type CallEnd, callEnds, legSpec } from '@jackfield/ports';
import { notFound, type Problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import { type LiveLeg, liveCallOf } from '../../calls/index.ts';
import type { Admitted } from '../../media-links/index.ts';
import type { CallReference } from '../domain/call-reference.ts';
import type { MultipartyCallReply } from '../domain/multiparty-call.ts';
import type { RequestedAddition } from '../participant-parameters.ts';
import type { Viewer } from '../queries.ts';
import { problemOfRefusal } from '../refusals.ts';
import { exitFieldsOf } from './exit-fields.ts';
import { outlast } from './leg-limits.ts';
import { endOf, ownerKind, ownerOf } from './leg-owner.ts';
import { type Addition, type AdditionDeps, placeRivals } from './placement.ts';
import { liveCall } from './requested-call.ts';

/** A request of the API that claims a live call (docs/interface/multiparty-calls.md#adding-participants). */
export interface MovedCall {
  readonly viewer: Viewer;
  readonly reference: CallReference;
  readonly requested: RequestedAddition;
  readonly leg: string;
}

/** What a request of the API has added: one phone, or several for one slot. */
export interface AddedPhones {
  readonly requestUuid: string;
  readonly phones: readonly { readonly leg: string; readonly from: string; readonly to: string }[];
}

export interface JoinedParticipant {
  readonly mpcUuid: string;
  readonly memberId: string;
  readonly requestUuid: string;
}

export function addedPhones({ rivals }: Addition): AddedPhones {
  const phones = rivals.map(({ leg, spec: { from, to } }) => ({ leg, from, to }));
  return { requestUuid: rivals[0].requestUuid, phones };
}

/** Claims a live call from its owner, wherever it lives. */
export async function move(deps: AdditionDeps, order: MovedCall): Promise<Result<AddedPhones>> {
  const { viewer, leg } = order;
  if (liveCallOf(deps.calls, viewer, leg).ok || deps.elsewhere === undefined) {
    const moved = await moveHere(deps, order);
    return moved.ok ? accepted(addedPhones(moved.value)) : moved;
  }
  const home = await deps.calls.homeOf(viewer, leg);
  if (home === undefined || home === deps.incarnation) return refused(notFound('live call', leg));
  return claim(deps, order, home);
}

/** The call of another node comes to the multiparty call of this one, in which it is admitted as `order`. */
async function claim(
  { elsewhere, queries }: AdditionDeps,
  { viewer, reference, requested, leg }: MovedCall,
  home: number,
): Promise<Result<AddedPhones>> {
  const room = await liveCall(queries, viewer, reference);
  if (!room.ok || elsewhere === undefined) return room.ok ? refused(notFound('live call', leg)) : room;
  const { mpc_uuid: uuid } = room.value;
  const { onExitAction: request } = requested.participant;
  const claimed = await elsewhere.claim({
    // By its UUID: the audio of the leg is beside the mix of this multiparty call, and of no later one.
    order: { viewer, reference: { text: uuid, uuid }, requested, leg } satisfies MovedCall,
    viewer: viewer.authId,
    leg,
    home,
    mix: uuid,
    exitDocument: request === null ? null : { leg, request, endWithout: endOf('call-ended') },
  });
  if (!claimed.ok) return claimed;
  const { requestUuid, from, to } = claimed.value;
  return accepted({ requestUuid, phones: [{ leg, from, to }] });
}

/** For the home of the call, which has brought its leg. */
export async function admitMoved(deps: AdditionDeps, order: MovedCall): Promise<Result<Admitted>> {
  const moved = await moveHere(deps, order);
  if (!moved.ok) return moved;
  const {
    mpcUuid,
    rivals: [{ memberId, requestUuid }],
  } = moved.value;
  return accepted(admittedAs(deps, { mpcUuid, memberId: String(memberId), requestUuid }, order.leg));
}

export function admittedAs(deps: AdditionDeps, joined: JoinedParticipant, leg: string): Admitted {
  const { mpcUuid } = joined;
  const call = deps.sessions.peek(mpcUuid);
  const participant = call?.participants.find((each) => each.leg === leg);
  const isKnown = call !== undefined && participant !== undefined;
  return { ...joined, fields: isKnown ? exitFieldsOf({ uuid: mpcUuid, name: call.name }, participant) : {} };
}

async function moveHere(
  deps: AdditionDeps,
  { viewer, reference, requested, leg }: MovedCall,
): Promise<Result<Addition>> {
  const { calls } = deps;
  const found = liveCallOf(calls, viewer, leg);
  if (!found.ok) return found;
  const live = found.value;
  const { from, to, callerName } = live;
  const added = await placeRivals(deps, viewer, reference, requested.settings, [
    {
      ...requested.participant,
      spec: legSpec({ from, to, callerName }),
      delaySeconds: 0,
      callStatusCallback: null,
      callParameters: calls.parametersOf(live),
      leg,
      requestUuid: deps.newUuid(),
      origin: 'taken',
    },
  ]);
  if (!added.ok) return added;
  const { mpcUuid } = added.value;
  try {
    const taken = await take(deps, mpcUuid, live);
    return taken.ok ? added : taken;
  } catch (error) {
    withdraw(deps, mpcUuid, leg);
    hangUpOwn(deps, mpcUuid, leg, callEnds(5010, 'Error'));
    throw error;
  }
}

/** Rejects when the step of the multiparty call is not saved. */
async function take(
  deps: AdditionDeps,
  mpcUuid: string,
  { leg, direction }: LiveLeg,
): Promise<Result<undefined>> {
  const { calls, sessions } = deps;
  if (!(await calls.take(leg, ownerOf(mpcUuid)))) return lost(deps, mpcUuid, leg);
  const isAnswered = calls.peek(leg)?.phase === 'answered';
  const reply = await sessions.ask<MultipartyCallReply>(mpcUuid, { type: 'leg-here', leg, isAnswered });
  if (reply === 'done') {
    outlast(deps, mpcUuid, leg);
    if (!isAnswered && direction === 'inbound') calls.answer(leg);
    return accepted(undefined);
  }
  // The call ended, or the participant was kicked, during the handover.
  hangUpOwn(deps, mpcUuid, leg, endOf('end-requested'));
  return refused(problemOfRefusal(mpcUuid, reply ?? { because: 'ended' }));
}

/** No other owner hangs up a leg that was taken. */
function hangUpOwn({ calls }: AdditionDeps, mpcUuid: string, leg: string, end: CallEnd): void {
  const owner = calls.peek(leg)?.owner;
  if (owner?.kind === ownerKind && owner.id === mpcUuid) calls.hangUp(leg, end);
}

/** The leg ended, or was lent to another owner, between the lookup and the request. */
export function lost(
  deps: AdditionDeps,
  mpcUuid: string,
  leg: string,
): { readonly ok: false; readonly problem: Problem } {
  withdraw(deps, mpcUuid, leg);
  return refused(notFound('live call', leg));
}

/** The participant leaves without its leg, which was not handed over. */
export function withdraw({ sessions }: AdditionDeps, mpcUuid: string, leg: string): void {
  sessions.send(mpcUuid, { type: 'leg-ended', leg });
}
