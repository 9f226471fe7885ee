import { type Step, stay } from '../transaction/effects.ts';
import { ackOfSuccess, cseqOf, dialogRequest, nextHop, refreshTarget } from './dialog.ts';
import { endWithBye, type Session, type SessionEffect, type SessionInput, sayBye } from './session-state.ts';

type SessionStep = Step<Session, SessionEffect>;
type ResponseInput = Extract<SessionInput, { type: 'response' }>;

/** A response to a request that this session sent. */
export function onResponse(state: Session, input: ResponseInput, now: number): SessionStep {
  const { method, response } = input;
  if (response.status < 200) return stay(state);
  if (method === 'INVITE') return onInviteResponse(state, input, now);
  const challenged = (response.status === 401 || response.status === 407) && !input.retried;
  if (method === 'BYE') {
    if (state.phase !== 'ending') return stay(state);
    const effects: SessionEffect[] = [];
    if (challenged) return { state: sayBye(state, effects, response), effects };
    return { state: { ...state, phase: 'ended' }, effects };
  }
  if (state.phase !== 'live') return stay(state);
  if (isDialogLost(response.status)) return lose(state, now);
  return {
    state,
    effects: [{ do: 'tell', event: { type: 'info-answered', status: response.status } }],
  };
}

function onInviteResponse(state: Session, input: ResponseInput, now: number): SessionStep {
  const { response } = input;
  const { id } = state;
  const effects: SessionEffect[] = [];
  if (response.status < 300) {
    // §13.2.2.4: an ACK for every 2xx, also for its retransmissions and also after the session has ended.
    effects.push({
      do: 'ack',
      session: id,
      request: ackOfSuccess(state.dialog, response),
      hop: nextHop(state.dialog),
    });
    // A late 2xx of an earlier INVITE is no answer to this one.
    if (state.ours?.state !== 'sent' || cseqOf(response) !== state.ours.cseq) return { state, effects };
    effects.push({ do: 'cancel-timer', session: id, key: 'offer-limit' });
    const next: Session = { ...state, ours: undefined, dialog: refreshTarget(state.dialog, response) };
    if (state.phase === 'live') effects.push({ do: 'tell', event: { type: 'offer-answered', response } });
    return { state: next, effects };
  }
  if (state.ours?.state !== 'sent' || cseqOf(response) !== state.ours.cseq) return stay(state);
  const { content } = state.ours;
  if (state.phase !== 'live') {
    effects.push({ do: 'cancel-timer', session: id, key: 'offer-limit' });
    return { state: { ...state, ours: undefined }, effects };
  }
  if ((response.status === 401 || response.status === 407) && !input.retried) {
    const { dialog, request } = dialogRequest(state.dialog, 'INVITE', content);
    effects.push({ do: 'request', session: id, request, hop: nextHop(dialog), challenge: response });
    return { state: { ...state, dialog, ours: { ...state.ours, cseq: dialog.localCseq } }, effects };
  }
  effects.push({ do: 'cancel-timer', session: id, key: 'offer-limit' });
  if (response.status === 491) {
    effects.push({
      do: 'start-timer',
      session: id,
      key: 'glare',
      at: now + glareDelay(state.callIdOwner, input.chance),
    });
    return { state: { ...state, ours: { ...state.ours, state: 'backing-off' } }, effects };
  }
  const settled: Session = { ...state, ours: undefined };
  if (isDialogLost(response.status)) {
    return { state: endWithBye(settled, { by: 'dialog-lost' }, effects, now), effects };
  }
  // §14.1: on any other failure the session goes on as if the re-INVITE had not been sent.
  effects.push({ do: 'tell', event: { type: 'offer-refused', status: response.status } });
  return { state: settled, effects };
}

/** A request of this session got no answer, or could not be sent. */
export function onFailure(
  state: Session,
  method: string,
  failure: 'timeout' | 'transport-failed',
  now: number,
): SessionStep {
  const effects: SessionEffect[] = [];
  if (method === 'BYE') {
    return state.phase === 'ending' ? { state: { ...state, phase: 'ended' }, effects } : stay(state);
  }
  let settled = state;
  if (method === 'INVITE') {
    // Once the re-INVITE has its final response, a failure can only concern the ACK of a refusal.
    if (state.ours?.state !== 'sent') return stay(state);
    effects.push({ do: 'cancel-timer', session: state.id, key: 'offer-limit' });
    settled = { ...state, ours: undefined };
  }
  if (settled.phase !== 'live') return { state: settled, effects };
  // §12.2.1.2: no response at all is treated as 408. §8.1.3.1: a transport error is fatal for the dialog's peer as well.
  const reason = failure === 'timeout' ? ('dialog-lost' as const) : ('transport-failed' as const);
  return { state: endWithBye(settled, { by: reason }, effects, now), effects };
}

/** §14.1: 2.1 to 4 s for the owner of the Call-ID, 0 to 2 s for the other side, in units of 10 ms. */
export function glareDelay(callIdOwner: boolean, chance: number): number {
  return callIdOwner ? 2100 + Math.floor(chance * 191) * 10 : Math.floor(chance * 201) * 10;
}

/** §12.2.1.2: the peer has forgotten the dialog, or does not answer within it. */
function isDialogLost(status: number): boolean {
  return status === 481 || status === 408;
}

function lose(state: Session, now: number): SessionStep {
  const effects: SessionEffect[] = [];
  return { state: endWithBye(state, { by: 'dialog-lost' }, effects, now), effects };
}
