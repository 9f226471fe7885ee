import type { SipRequest } from '../message/message.ts';
import { type Step, stay } from '../transaction/effects.ts';
import { answerInDialog, infoEvent } from './answers.ts';
import { cseqOf, isOutOfOrder, withRemoteCseq } from './dialog.ts';
import { byeWhenDue, closeOffers } from './session-end.ts';
import { accept, takeOffer, tryAgain } from './session-offers.ts';
import { onRefer } from './session-refer.ts';
import { type Session, type SessionEffect, stopRepeating } from './session-state.ts';
import { onNotify } from './session-transfer.ts';

type SessionStep = Step<Session, SessionEffect>;

/** A request other than ACK and CANCEL that arrived within the dialog. */
export function onRequest(
  state: Session,
  transaction: string,
  request: SipRequest,
  chance: number,
  now: number,
): SessionStep {
  if (isOutOfOrder(state.dialog, request)) {
    // §12.2.2: a lower sequence number is out of order and MUST be rejected with 500.
    return { state, effects: [{ do: 'respond', transaction, status: 500 }] };
  }
  const numbered: Session = { ...state, dialog: withRemoteCseq(state.dialog, request) };
  if (request.method === 'BYE') return onBye(numbered, transaction, now);
  if (state.phase !== 'live') {
    // §15.1.1: the session is over as soon as the BYE is passed to the client transaction.
    return { state: numbered, effects: [{ do: 'respond', transaction, status: 481 }] };
  }
  if (request.method === 'INVITE') return onReInvite(numbered, transaction, request, chance, now);
  if (request.method === 'UPDATE') return onUpdate(numbered, transaction, request, chance, now);
  if (request.method === 'REFER') return onRefer(numbered, transaction, request, now);
  if (request.method === 'PRACK') {
    // RFC 3262 §3: a PRACK that matches no unacknowledged provisional response gets 481; after the 2xx none is left.
    return { state: numbered, effects: [{ do: 'respond', transaction, status: 481 }] };
  }
  const notified = request.method === 'NOTIFY' ? onNotify(numbered, transaction, request) : undefined;
  if (notified) return notified;
  const answer = answerInDialog(request);
  const effects: SessionEffect[] = [{ do: 'respond', transaction, ...answer }];
  const info = infoEvent(request, answer);
  if (info) effects.push(info);
  return { state: numbered, effects };
}

function onBye(state: Session, transaction: string, now: number): SessionStep {
  // §15.1.2: BYE gets 200, also when it crosses ours or our 2xx has no ACK yet.
  const effects: SessionEffect[] = [{ do: 'respond', transaction, status: 200 }];
  const quiet = stopRepeating(state, effects);
  switch (state.phase) {
    case 'live':
      effects.push({ do: 'end', reason: { by: 'remote-bye' } });
      return { state: { ...closeOffers(quiet, effects, now), phase: 'ended' }, effects };
    case 'held':
      return { state: { ...quiet, phase: 'ended' }, effects };
    case 'ending':
    case 'ended':
      return { state: quiet, effects };
  }
}

function onReInvite(
  state: Session,
  transaction: string,
  request: SipRequest,
  chance: number,
  now: number,
): SessionStep {
  // §14.2: a second INVITE before the final response to the first gets 500 with a Retry-After of 0 to 10 s.
  if (state.theirs) return { state, effects: [tryAgain(transaction, chance)] };
  // §14.2: an INVITE received while ours is in progress is answered with 491.
  if (state.ours?.state === 'sent') return { state, effects: [{ do: 'respond', transaction, status: 491 }] };
  const effects: SessionEffect[] = [];
  // RFC 5407 §3.1.4: a re-INVITE proves that the peer has our 2xx and its ACK is late. Not if that ACK carries the awaited answer.
  if (state.repeating?.delayedOffer) {
    return { state, effects: [{ do: 'respond', transaction, status: 491 }] };
  }
  const quiet = stopRepeating(state, effects);
  return { state: takeOffer(quiet, { transaction, request }, effects, now), effects };
}

/** An UPDATE refreshes target and session; with an offer it changes the session (RFC 3311 §5.2). */
function onUpdate(
  state: Session,
  transaction: string,
  request: SipRequest,
  chance: number,
  now: number,
): SessionStep {
  const effects: SessionEffect[] = [];
  if (request.body === '') {
    return { state: accept(state, transaction, request, undefined, effects, now), effects };
  }
  // RFC 3311 §5.2: their earlier offer lacks our answer: 500 with a Retry-After of 0 to 10 s.
  if (state.theirs) return { state, effects: [tryAgain(transaction, chance)] };
  // RFC 3311 §5.2: our offer lacks its answer, which may come in an ACK: 491.
  const isOurs = state.ours?.state === 'sent' || state.repeating?.delayedOffer === true;
  if (isOurs) return { state, effects: [{ do: 'respond', transaction, status: 491 }] };
  return { state: takeOffer(state, { transaction, request }, effects, now), effects };
}

/** The ACK of an own 2xx; a stray one is dropped. */
export function onAck(state: Session, request: SipRequest): SessionStep {
  if (!state.repeating || cseqOf(request) !== state.repeating.cseq) return stay(state);
  const effects: SessionEffect[] = [];
  const quiet = stopRepeating(state, effects);
  if (quiet.phase === 'held') return { state: byeWhenDue(quiet, effects), effects };
  if (quiet.phase === 'live')
    effects.push({ do: 'emit', event: { type: 'acknowledged', body: request.body } });
  return { state: quiet, effects };
}
