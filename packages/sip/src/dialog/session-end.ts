import type { SipResponse } from '../message/message.ts';
import type { HeaderPairs } from './answers.ts';
import { dialogRequest, nextHop } from './dialog.ts';
import { reportsEnd } from './referral.ts';
import { type EndReason, type Session, type SessionEffect, stopExpiry } from './session-state.ts';

/** Leaves "live": refuses the peer's pending requests, and gives our own re-INVITE 64*T1 to finish. */
export function closeOffers(state: Session, effects: SessionEffect[], now: number): Session {
  const { id, theirs, ours, timers } = state;
  const dropped = dropReferral(state, 487, effects);
  const quiet: Session = { ...dropped, expiry: { ...state.expiry, terms: undefined } };
  // RFC 3261 §15.1.2: pending requests are still answered, with 487.
  if (theirs) effects.push({ do: 'respond', transaction: theirs.transaction, status: 487 });
  if (theirs && theirs.request.method !== 'INVITE') {
    effects.push({ do: 'cancel-timer', session: id, key: 'answer-limit' });
  }
  if (state.expiry.terms) stopExpiry(state, effects);
  if (ours?.state === 'backing-off') effects.push({ do: 'cancel-timer', session: id, key: 'glare' });
  // An UPDATE ends by its own transaction; the 2xx of an INVITE still needs its ACK.
  if (ours?.state === 'sent' && ours.method === 'INVITE') {
    effects.push({ do: 'start-timer', session: id, key: 'offer-limit', at: now + 64 * timers.t1 });
    return { ...quiet, theirs: undefined };
  }
  return { ...quiet, theirs: undefined, ours: undefined };
}

/** Sends BYE through the route set of the dialog. */
export function sendBye(state: Session, effects: SessionEffect[], challenge?: SipResponse): Session {
  const { dialog, request } = dialogRequest(state.dialog, 'BYE');
  const hop = nextHop(dialog);
  effects.push({ do: 'request', session: state.id, request, hop, ...(challenge && { challenge }) });
  return { ...state, phase: 'ending', dialog };
}

/** Ends a live session from our side: emits `end` at once; the BYE may have to wait (`byeWhenDue`). */
export function endWithBye(
  state: Session,
  reason: EndReason,
  effects: SessionEffect[],
  now: number,
): Session {
  effects.push({ do: 'end', reason });
  const closed = closeOffers(state, effects, now);
  // RFC 3261 §15: the callee MUST NOT send a BYE until its 2xx was acknowledged or timed out.
  return byeWhenDue({ ...closed, phase: 'held' }, effects);
}

/**
 * Sends the BYE of a held session once it is due: after the ACK of our 2xx, and after the answer to the NOTIFY that ended a
 * subscription, which the phone has to process before its call ends.
 */
export function byeWhenDue(state: Session, effects: SessionEffect[]): Session {
  const isHeld = state.repeating !== undefined || reportsEnd(state.notifying);
  return state.phase !== 'held' || isHeld ? state : sendBye(state, effects);
}

/** Drops the REFER; an unanswered one gets `status`. */
export function dropReferral(
  state: Session,
  status: number,
  effects: SessionEffect[],
  headers?: HeaderPairs,
): Session {
  const { referral } = state;
  if (referral.state === 'none') return state;
  effects.push({ do: 'cancel-timer', session: state.id, key: 'referral' });
  if (referral.state === 'asked') {
    effects.push({ do: 'respond', transaction: referral.transaction, status, ...(headers && { headers }) });
  }
  return { ...state, referral: { state: 'none', taken: referral.taken } };
}
