import type { SipRequest, SipResponse } from '../message/message.ts';
import type { Step } from '../transaction/effects.ts';
import { DIALOG_CAPABILITIES, type HeaderPairs } from './answers.ts';
import { cseqOf, dialogRequest, nextHop, refreshTarget } from './dialog.ts';
import {
  agreeOnTerms,
  type Content,
  type OurOffer,
  repeatAnswer,
  type Session,
  type SessionEffect,
  type TheirOffer,
  withPeerMethods,
} from './session-state.ts';
import { answerTerms, refreshDelayMs, termsHeaders } from './session-timer.ts';

/**
 * A re-INVITE without a final response after a provisional one is abandoned after this time, Timer C's minimum
 * (RFC 3261 §16.6, step 11).
 */
const OFFER_LIMIT_MS = 180_000;

/** The owner answers an UPDATE within 32*T1, half the time for which its sender waits (RFC 3261 §17.1.2.2, timer F). */
export const ANSWER_LIMIT_T1 = 32;

/** An offer to send, or to send again. */
export type NewOffer = Pick<OurOffer, 'method' | 'content' | 'isRefresh'>;

/** Sends the owner's offer, or refuses it while the peer's or an earlier one is open (RFC 3261 §14.1, RFC 3311 §5.1). */
export function offer(
  state: Session,
  content: Content,
  method: OurOffer['method'],
  now: number,
): Step<Session, SessionEffect> {
  if (isNegotiating(state)) {
    return { state, effects: [{ do: 'emit', event: { type: 'offer-refused', status: 491 } }] };
  }
  const effects: SessionEffect[] = [];
  return { state: sendOffer(state, { method, content, isRefresh: false }, effects, now), effects };
}

/** Whether an INVITE transaction or an offer is in progress in either direction. */
export function isNegotiating({ ours, theirs, repeating }: Session): boolean {
  return ours !== undefined || theirs !== undefined || repeating !== undefined;
}

/** Sends an offer by its method, or by re-INVITE to a peer without UPDATE. */
export function sendOffer(
  state: Session,
  { content, isRefresh, method: requestedMethod }: NewOffer,
  effects: SessionEffect[],
  now: number,
  challenge?: SipResponse,
): Session {
  const method = state.peerTakesUpdate ? requestedMethod : 'INVITE';
  const headers = [...DIALOG_CAPABILITIES, ...termsHeaders(state.expiry.terms)];
  const { dialog, request } = dialogRequest(state.dialog, method, content, headers);
  effects.push(requestEffect(state, request, nextHop(dialog), challenge));
  if (method === 'INVITE') {
    effects.push({ do: 'start-timer', session: state.id, key: 'offer-limit', at: now + OFFER_LIMIT_MS });
  }
  const ours: OurOffer = { state: 'sent', method, cseq: dialog.localCseq, content, isRefresh };
  return { ...state, dialog, ours, local: content };
}

/** Sends an UPDATE without an offer, which refreshes the session alone (RFC 4028 §7.4). */
export function sendRefresh(state: Session, effects: SessionEffect[], challenge?: SipResponse): Session {
  const headers = [...DIALOG_CAPABILITIES, ...termsHeaders(state.expiry.terms)];
  const { dialog, request } = dialogRequest(state.dialog, 'UPDATE', undefined, headers);
  effects.push(requestEffect(state, request, nextHop(dialog), challenge));
  return { ...state, dialog, expiry: { ...state.expiry, refreshing: dialog.localCseq } };
}

function requestEffect(
  { id }: Session,
  request: SipRequest,
  hop: string,
  challenge: SipResponse | undefined,
): SessionEffect {
  return { do: 'request', session: id, request, hop, ...(challenge && { challenge }) };
}

/** Refreshes the session after half of its interval: by UPDATE if the peer allows it, else by re-INVITE (RFC 4028 §10). */
export function refresh(state: Session, now: number): Step<Session, SessionEffect> {
  const { terms } = state.expiry;
  if (state.phase !== 'live' || !terms?.weRefresh) return { state, effects: [] };
  const effects: SessionEffect[] = [];
  if (isNegotiating(state)) {
    // The 2xx of the open offer refreshes as well; a failure leaves time for another attempt.
    tryAgainLater(state, effects, now);
    return { state, effects };
  }
  if (state.peerTakesUpdate) return { state: sendRefresh(state, effects), effects };
  if (state.local === undefined) return { state, effects };
  const again = { method: 'INVITE', content: state.local, isRefresh: true } as const;
  return { state: sendOffer(state, again, effects, now), effects };
}

/** Retries a failed refresh after a tenth of the interval: four attempts fit before it expires. */
export function tryAgainLater(state: Session, effects: SessionEffect[], now: number): void {
  const { terms } = state.expiry;
  if (!terms?.weRefresh) return;
  const at = now + Math.floor(refreshDelayMs(terms) / 5);
  effects.push({ do: 'start-timer', session: state.id, key: 'refresh', at });
}

/** Waits for the owner's answer to an offer of the peer. */
export function takeOffer(
  state: Session,
  theirs: TheirOffer,
  effects: SessionEffect[],
  now: number,
): Session {
  const { request } = theirs;
  if (request.method !== 'INVITE') {
    const at = now + ANSWER_LIMIT_T1 * state.timers.t1;
    effects.push({ do: 'start-timer', session: state.id, key: 'answer-limit', at });
  }
  effects.push({ do: 'emit', event: { type: 'offered', request } });
  return { ...state, theirs };
}

/** Answers the peer's offer with 200, which for a re-INVITE is repeated until its ACK. */
export function answerOffer(
  state: Session,
  { transaction, request }: TheirOffer,
  content: Content,
  now: number,
): Step<Session, SessionEffect> {
  const effects: SessionEffect[] = [];
  const accepted = accept(
    { ...state, theirs: undefined, local: content },
    transaction,
    request,
    content,
    effects,
    now,
  );
  if (request.method !== 'INVITE') {
    effects.push({ do: 'cancel-timer', session: state.id, key: 'answer-limit' });
    return { state: accepted, effects };
  }
  const repeated = { transaction, cseq: cseqOf(request), delayedOffer: request.body === '' };
  const step = repeatAnswer(accepted, repeated, now);
  return { state: step.state, effects: [...effects, ...step.effects] };
}

/** 500 with a Retry-After of 0 to 10 s, for an offer while an earlier one of its sender is open (RFC 3261 §14.2). */
export function tryAgain(transaction: string, chance: number): SessionEffect {
  const headers: HeaderPairs = [['Retry-After', String(Math.floor(chance * 11))]];
  return { do: 'respond', transaction, status: 500, headers };
}

/** Sends the 2xx to a re-INVITE or UPDATE, refreshes the target (RFC 3261 §12.2.2) and restarts the session timer. */
export function accept(
  state: Session,
  transaction: string,
  request: SipRequest,
  content: Content | undefined,
  effects: SessionEffect[],
  now: number,
): Session {
  const { terms, headers } = answerTerms(request, state.expiry.preferred);
  effects.push({ do: 'respond', transaction, status: 200, headers, ...(content && { content }) });
  const refreshed = { ...withPeerMethods(state, request), dialog: refreshTarget(state.dialog, request) };
  return agreeOnTerms(refreshed, terms, effects, now);
}

/** Refuses the peer's offer with a status. */
export function refuseOffer(
  state: Session,
  { transaction, request }: TheirOffer,
  status: number,
): Step<Session, SessionEffect> {
  const effects: SessionEffect[] = [{ do: 'respond', transaction, status }];
  if (request.method !== 'INVITE') {
    effects.push({ do: 'cancel-timer', session: state.id, key: 'answer-limit' });
  }
  return { state: { ...state, theirs: undefined }, effects };
}
