import type { SipRequest } from '../message/message.ts';
import { answerInDialog, infoEvent } from './answers.ts';
import { isOutOfOrder, refreshTarget, withRemoteCseq } from './dialog.ts';
import { CALLEE_SESSION, type IncomingCall, type IncomingCallEffect } from './incoming-call-state.ts';
import { acknowledges, madeReliable, type Provisional } from './reliable-provisional.ts';
import { ANSWER_LIMIT_T1, tryAgain } from './session-offers.ts';
import type { Content, SessionInput } from './session-state.ts';

/** A call that has no final response yet. */
export type OfferedCall = IncomingCall & { phase: 'offered' };

/** §13.3.1.1: proxies cancel after three minutes without a response, so a provisional one goes out every minute. */
const RING_AGAIN_MS = 60_000;

/** The most provisional responses that wait for a PRACK; later ones are dropped. */
const MAX_QUEUE = 8;

/** Sends a provisional response: reliably if the caller requires it, or supports it and the response has a description. */
export function ring(
  state: OfferedCall,
  response: Provisional,
  effects: IncomingCallEffect[],
  now: number,
): OfferedCall {
  const { transaction, reliability } = state;
  const next: OfferedCall = { ...state, provisional: response };
  const isReliable =
    reliability === 'required' || (reliability === 'supported' && response.content !== undefined);
  effects.push({ do: 'start-call-timer', scope: '', key: 'ringing', at: now + RING_AGAIN_MS });
  if (isReliable && response.status > 100) return sendReliably(next, response, effects, now);
  effects.push({ do: 'respond', transaction, ...response });
  return next;
}

/** Repeats the response for the proxies, without a description that a PRACK has acknowledged. */
export function ringAgain(state: OfferedCall, effects: IncomingCallEffect[], now: number): OfferedCall {
  const { provisional, unacknowledged, reliability } = state;
  if (!provisional) return state;
  if (unacknowledged) {
    effects.push({ do: 'start-call-timer', scope: '', key: 'ringing', at: now + RING_AGAIN_MS });
    return state;
  }
  const { content: _, ...bare } = provisional;
  return ring(state, reliability === 'none' ? provisional : bare, effects, now);
}

function sendReliably(
  state: OfferedCall,
  response: Provisional,
  effects: IncomingCallEffect[],
  now: number,
): OfferedCall {
  // RFC 3262 §3: no second reliable response before the PRACK of the first.
  if (state.unacknowledged) {
    const queue = state.queue.length < MAX_QUEUE ? [...state.queue, response] : state.queue;
    return { ...state, queue };
  }
  const { transaction, timers } = state;
  const rseq = state.rseq + 1;
  const reliable = madeReliable(response, rseq);
  effects.push(
    { do: 'respond', transaction, ...reliable },
    { do: 'start-call-timer', scope: '', key: 'prack', at: now + timers.t1 },
    { do: 'start-call-timer', scope: '', key: 'prack-limit', at: now + 64 * timers.t1 },
  );
  return { ...state, rseq, unacknowledged: { rseq, response: reliable, interval: timers.t1 } };
}

/** No PRACK yet: the response again, after twice the time (RFC 3262 §3). */
export function repeatReliable(state: OfferedCall, effects: IncomingCallEffect[], now: number): OfferedCall {
  const { transaction, unacknowledged } = state;
  if (!unacknowledged) return state;
  const interval = unacknowledged.interval * 2;
  effects.push(
    { do: 'respond', transaction, ...unacknowledged.response },
    { do: 'start-call-timer', scope: '', key: 'prack', at: now + interval },
  );
  return { ...state, unacknowledged: { ...unacknowledged, interval } };
}

/** Ends the wait for a PRACK. */
export function stopReliable({ unacknowledged }: OfferedCall, effects: IncomingCallEffect[]): void {
  if (!unacknowledged) return;
  effects.push(
    { do: 'cancel-call-timer', scope: '', key: 'prack' },
    { do: 'cancel-call-timer', scope: '', key: 'prack-limit' },
  );
}

/** Sends the next queued response. */
export function sendNext(state: OfferedCall, effects: IncomingCallEffect[], now: number): OfferedCall {
  const [next, ...queue] = state.queue;
  return next && !state.unacknowledged ? sendReliably({ ...state, queue }, next, effects, now) : state;
}

/** A request of the caller within the early dialog, other than INVITE and BYE. */
export function onEarlyRequest(
  state: OfferedCall,
  { transaction, request, chance }: SessionInput & { type: 'request' },
  effects: IncomingCallEffect[],
  now: number,
): OfferedCall {
  if (isOutOfOrder(state.dialog, request)) {
    effects.push({ do: 'respond', transaction, status: 500 });
    return state;
  }
  const numbered: OfferedCall = { ...state, dialog: withRemoteCseq(state.dialog, request) };
  switch (request.method) {
    case 'INVITE':
      // §14.2: a second INVITE before the final response to the first.
      effects.push(tryAgain(transaction, chance));
      return numbered;
    case 'PRACK':
      return onPrack(numbered, transaction, request, effects, now);
    case 'UPDATE':
      return onUpdate(numbered, transaction, request, chance, effects, now);
    default: {
      const answer = answerInDialog(request);
      effects.push({ do: 'respond', transaction, ...answer });
      const info = infoEvent(request, answer);
      if (info) effects.push(info);
      return numbered;
    }
  }
}

function onPrack(
  state: OfferedCall,
  transaction: string,
  request: SipRequest,
  effects: IncomingCallEffect[],
  now: number,
): OfferedCall {
  const { unacknowledged, invite } = state;
  if (!unacknowledged || !acknowledges(request, unacknowledged.rseq, invite)) {
    effects.push({ do: 'respond', transaction, status: 481 });
    return state;
  }
  stopReliable(state, effects);
  const isDescribed = unacknowledged.response.content !== undefined;
  // RFC 3262 §5: the description answered the INVITE's offer, or was an offer that the PRACK answers.
  const isAnswer = isDescribed && invite.body === '' && !state.isAgreed;
  const isAgreed = state.isAgreed || (isDescribed && (invite.body !== '' || request.body !== ''));
  const next: OfferedCall = { ...state, unacknowledged: undefined, isAgreed };
  if (request.body !== '' && isAgreed && !isAnswer) {
    // RFC 3262 §5: a PRACK may carry another offer; its 2xx carries the answer.
    return takeEarlyOffer(next, transaction, request, effects, now);
  }
  effects.push({ do: 'respond', transaction, status: 200 });
  if (isAnswer && isAgreed) {
    effects.push({ do: 'emit', event: { type: 'acknowledged', body: request.body } });
  }
  return next;
}

function onUpdate(
  state: OfferedCall,
  transaction: string,
  request: SipRequest,
  chance: number,
  effects: IncomingCallEffect[],
  now: number,
): OfferedCall {
  if (request.body === '') {
    effects.push({ do: 'respond', transaction, status: 200 });
    return { ...state, dialog: refreshTarget(state.dialog, request) };
  }
  // RFC 3311 §5.2: their offer (the INVITE's included) lacks our answer: 500; our offer lacks theirs: 491.
  if (state.theirs || (!state.isAgreed && state.invite.body !== '')) {
    effects.push(tryAgain(transaction, chance));
    return state;
  }
  if (!state.isAgreed) {
    effects.push({ do: 'respond', transaction, status: 491 });
    return state;
  }
  return takeEarlyOffer(state, transaction, request, effects, now);
}

function takeEarlyOffer(
  state: OfferedCall,
  transaction: string,
  request: SipRequest,
  effects: IncomingCallEffect[],
  now: number,
): OfferedCall {
  const at = now + ANSWER_LIMIT_T1 * state.timers.t1;
  effects.push(
    { do: 'start-timer', session: CALLEE_SESSION, key: 'answer-limit', at },
    { do: 'emit', event: { type: 'offered', request } },
  );
  return { ...state, theirs: { transaction, request } };
}

/** The owner answers an offer that came by PRACK or UPDATE, or refuses it with a status. */
export function settleEarlyOffer(
  state: OfferedCall,
  outcome: Content | number,
  effects: IncomingCallEffect[],
): OfferedCall {
  const { theirs } = state;
  if (!theirs) return state;
  const { transaction, request } = theirs;
  effects.push({ do: 'cancel-timer', session: CALLEE_SESSION, key: 'answer-limit' });
  if (typeof outcome === 'number') {
    effects.push({ do: 'respond', transaction, status: outcome });
    return { ...state, theirs: undefined };
  }
  effects.push({ do: 'respond', transaction, status: 200, content: outcome });
  const dialog = request.method === 'UPDATE' ? refreshTarget(state.dialog, request) : state.dialog;
  return { ...state, theirs: undefined, dialog, changed: outcome };
}

/** The description in the 2xx, and whether its ACK carries the answer (RFC 3262 §5, RFC 3261 §13.2.1). */
export function answerOf(
  { invite, isAgreed, changed }: OfferedCall,
  content: Content,
): { readonly content: Content | undefined; readonly delayedOffer: boolean } {
  if (invite.body !== '') return { content: changed ?? content, delayedOffer: false };
  // A description after a completed exchange would be another offer.
  return isAgreed ? { content: undefined, delayedOffer: false } : { content, delayedOffer: true };
}
