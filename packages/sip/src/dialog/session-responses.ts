import { isChallenge } from '../message/is-challenge.ts';
import type { SipResponse } from '../message/message.ts';
import { BRANCH_COOKIE, parseVia } from '../message/via.ts';
import { type Step, stay } from '../transaction/effects.ts';
import { ackOfSuccess, cseqOf, type Dialog, nextHop, refreshTarget } from './dialog.ts';
import { endWithBye, sendBye } from './session-end.ts';
import { sendOffer, sendRefresh, tryAgainLater } from './session-offers.ts';
import { notifyAnswered } from './session-refer.ts';
import {
  agreeOnTerms,
  type OurOffer,
  type Session,
  type SessionEffect,
  type SessionInput,
  withPeerMethods,
} from './session-state.ts';
import { minSeOf, termsOfAnswer } from './session-timer.ts';
import { referAnswered } from './session-transfer.ts';

type SessionStep = Step<Session, SessionEffect>;
type ResponseInput = Extract<SessionInput, { type: 'response' }>;

/** A response to a request that this session sent. */
export function onResponse(state: Session, input: ResponseInput, now: number): SessionStep {
  const { method, response } = input;
  // The response to a PRACK changes nothing: the acknowledged response belongs to the INVITE.
  if (response.status < 200 || method === 'PRACK') return stay(state);
  if (method === 'INVITE') return onInviteResponse(state, input, now);
  if (method === 'UPDATE') return onUpdateResponse(state, input, now);
  const challenged = isAnswerable(input);
  if (method === 'BYE') {
    if (state.phase !== 'ending') return stay(state);
    const effects: SessionEffect[] = [];
    if (challenged) return { state: sendBye(state, effects, response), effects };
    return { state: { ...state, phase: 'ended' }, effects };
  }
  if (method === 'NOTIFY') return notifyAnswered(state, cseqOf(response), response);
  if (state.phase !== 'live') return stay(state);
  if (isDialogLost(response.status)) return lose(state, now);
  if (method === 'REFER') return referAnswered(state, response);
  return {
    state,
    effects: [{ do: 'emit', event: { type: 'info-answered', status: response.status } }],
  };
}

function onInviteResponse(state: Session, input: ResponseInput, now: number): SessionStep {
  const { response } = input;
  const { id, ours } = state;
  const effects: SessionEffect[] = [];
  // A late response may belong to an earlier INVITE.
  const isCurrent = isAnswerTo(ours, 'INVITE', response);
  if (response.status < 300) {
    // §13.2.2.4: an ACK for every 2xx, also for its retransmissions and also after the session has ended.
    effects.push(acknowledge(id, state.dialog, response));
    if (!isCurrent) return { state, effects };
    effects.push({ do: 'cancel-timer', session: id, key: 'offer-limit' });
    return { state: answered(state, response, effects, now), effects };
  }
  if (!isCurrent) return stay(state);
  if (!isAnswerable(input) || state.phase !== 'live') {
    effects.push({ do: 'cancel-timer', session: id, key: 'offer-limit' });
  }
  return { state: offerFailed(state, ours!, input, effects, now), effects };
}

/**
 * RFC 3261 §13.2.2.4: a repeated 2xx gets the same message again, so its branch follows from that of the INVITE; the answers of several
 * phones differ in their tags.
 */
export function acknowledge(session: string, dialog: Dialog, response: SipResponse): SessionEffect {
  const { branch = BRANCH_COOKIE } = parseVia(response.headers.get('Via') ?? '') ?? {};
  const viaBranch = `${branch}.${dialog.remoteTag}`;
  return { do: 'ack', session, request: ackOfSuccess(dialog, response), hop: nextHop(dialog), viaBranch };
}

/** An own UPDATE: an offer, or a refresh without one. */
function onUpdateResponse(state: Session, input: ResponseInput, now: number): SessionStep {
  const { response } = input;
  const effects: SessionEffect[] = [];
  if (state.phase !== 'live') return stay(state);
  if (isAnswerTo(state.ours, 'UPDATE', response)) {
    const next =
      response.status < 300
        ? answered(state, response, effects, now)
        : offerFailed(state, state.ours!, input, effects, now);
    return { state: next, effects };
  }
  if (state.expiry.refreshing !== cseqOf(response)) return stay(state);
  if (response.status < 300) return { state: refreshed(state, response, effects, now), effects };
  return { state: refreshFailed(state, input, effects, now), effects };
}

function isAnswerTo(ours: OurOffer | undefined, method: string, response: SipResponse): boolean {
  return ours?.state === 'sent' && ours.method === method && ours.cseq === cseqOf(response);
}

/** A 2xx to our offer. */
function answered(state: Session, response: SipResponse, effects: SessionEffect[], now: number): Session {
  const settled: Session = { ...state, ours: undefined };
  if (state.phase !== 'live') return settled;
  const next = refreshed(settled, response, effects, now);
  // Emitted last, because the owner may end the session at once.
  effects.push({ do: 'emit', event: { type: 'offer-answered', response } });
  return next;
}

/** A 2xx to a target refresh request: its Contact, its Allow and its session timer now hold. */
function refreshed(state: Session, response: SipResponse, effects: SessionEffect[], now: number): Session {
  const dialog = refreshTarget(state.dialog, response);
  const terms = termsOfAnswer(response, state.expiry.terms?.minS ?? minSeOf(response));
  return agreeOnTerms({ ...withPeerMethods(state, response), dialog }, terms, effects, now);
}

/** A final response of 300 or above to our re-INVITE or UPDATE with an offer. */
function offerFailed(
  state: Session,
  ours: OurOffer,
  input: ResponseInput,
  effects: SessionEffect[],
  now: number,
): Session {
  const { response } = input;
  const settled: Session = { ...state, ours: undefined };
  if (state.phase !== 'live') return settled;
  if (isAnswerable(input)) return sendOffer(settled, ours, effects, now, response);
  const corrected = corrections(settled, ours.method, response);
  if (corrected) return sendOffer(corrected, ours, effects, now);
  if (response.status === 491) {
    const at = now + glareDelay(state.callIdOwner, input.chance);
    effects.push({ do: 'start-timer', session: state.id, key: 'glare', at });
    return { ...state, ours: { ...ours, state: 'backing-off' } };
  }
  if (isDialogLost(response.status)) return endWithBye(settled, { by: 'dialog-lost' }, effects, now);
  // §14.1: after any other failure the session goes on as before the re-INVITE.
  if (ours.isRefresh) tryAgainLater(settled, effects, now);
  else effects.push({ do: 'emit', event: { type: 'offer-refused', status: response.status } });
  return settled;
}

function refreshFailed(state: Session, input: ResponseInput, effects: SessionEffect[], now: number): Session {
  const { response } = input;
  const idle: Session = { ...state, expiry: { ...state.expiry, refreshing: undefined } };
  if (isAnswerable(input)) return sendRefresh(idle, effects, response);
  if (isDialogLost(response.status)) return endWithBye(idle, { by: 'dialog-lost' }, effects, now);
  const corrected = corrections(idle, 'UPDATE', response);
  if (corrected?.peerTakesUpdate) return sendRefresh(corrected, effects);
  tryAgainLater(idle, effects, now);
  // After a 405 or 501 to UPDATE the next attempt is a re-INVITE.
  return corrected ?? idle;
}

/** The session corrected by a refusal, so that the same request may succeed; undefined without a correction. */
function corrections(state: Session, method: OurOffer['method'], response: SipResponse): Session | undefined {
  const { status } = response;
  const { terms } = state.expiry;
  // RFC 4028 §7.4: retry after 422 with the interval of its Min-SE.
  if (status === 422 && terms && minSeOf(response) > Math.max(terms.minS, terms.intervalS)) {
    const minS = minSeOf(response);
    return { ...state, expiry: { ...state.expiry, terms: { ...terms, minS, intervalS: minS } } };
  }
  if (method === 'UPDATE' && (status === 405 || status === 501) && state.peerTakesUpdate) {
    return { ...state, peerTakesUpdate: false };
  }
  return undefined;
}

/** A request of this session got no response, or could not be sent. */
export function onFailure(
  state: Session,
  method: string,
  failure: 'timeout' | 'transport-failed',
  now: number,
): SessionStep {
  if (method === 'PRACK') return stay(state);
  if (method === 'NOTIFY') return notifyAnswered(state, undefined, undefined);
  const effects: SessionEffect[] = [];
  if (method === 'BYE') {
    return state.phase === 'ending' ? { state: { ...state, phase: 'ended' }, effects } : stay(state);
  }
  let settled = state;
  if (method === 'INVITE') {
    // After the final response of the re-INVITE only the ACK of a refusal can fail.
    if (state.ours?.state !== 'sent' || state.ours.method !== 'INVITE') return stay(state);
    effects.push({ do: 'cancel-timer', session: state.id, key: 'offer-limit' });
    settled = { ...state, ours: undefined };
  } else if (method === 'UPDATE' && state.ours?.method === 'UPDATE' && state.ours.state === 'sent') {
    settled = { ...state, ours: undefined };
  }
  if (settled.phase !== 'live') return { state: settled, effects };
  // §12.2.1.2: no response counts as 408. §8.1.3.1: a transport error ends the dialog as well.
  const reason = failure === 'timeout' ? ('dialog-lost' as const) : ('transport-failed' as const);
  return { state: endWithBye(settled, { by: reason }, effects, now), effects };
}

/** §14.1: 2.1 to 4 s for the owner of the Call-ID, 0 to 2 s for the other side, in units of 10 ms. */
export function glareDelay(callIdOwner: boolean, chance: number): number {
  return callIdOwner ? 2100 + Math.floor(chance * 191) * 10 : Math.floor(chance * 201) * 10;
}

function isAnswerable({ response, isFinal }: ResponseInput): boolean {
  return isChallenge(response.status) && !isFinal;
}

/** §12.2.1.2: 481 and 408 mean that the peer has lost the dialog or does not answer in it. */
function isDialogLost(status: number): boolean {
  return status === 481 || status === 408;
}

function lose(state: Session, now: number): SessionStep {
  const effects: SessionEffect[] = [];
  return { state: endWithBye(state, { by: 'dialog-lost' }, effects, now), effects };
}
