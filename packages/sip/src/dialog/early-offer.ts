import type { SipRequest } from '../message/message.ts';
import { isOutOfOrder, refreshTarget, withRemoteCseq } from './dialog.ts';
import { type FoundEarly, sessionId } from './early-dialog.ts';
import type { EarlyDialog, EarlyOffer } from './outgoing-call-state.ts';
import { ANSWER_LIMIT_T1, tryAgain } from './session-offers.ts';
import type { Content, SessionEffect, SessionInput } from './session-state.ts';

/** Whether the owner has to answer this request: an offer after the reliable answer to ours (RFC 3311 §5.2). */
export function isEarlyOffer({ early }: FoundEarly, request: SipRequest, isAwaited: boolean): boolean {
  const isOffer = request.method === 'UPDATE' && request.body !== '';
  return isOffer && isAwaited && early.answer !== '' && !isOutOfOrder(early.dialog, request);
}

/** Passes the offer to the owner; while another one waits: 500 with a Retry-After (RFC 3311 §5.2). */
export function takeEarlyOffer(
  { name, tag, early }: FoundEarly,
  { transaction, request, chance }: SessionInput & { type: 'request' },
  pending: EarlyOffer | undefined,
  t1: number,
  now: number,
): {
  readonly early: EarlyDialog;
  readonly offer: EarlyOffer | undefined;
  readonly effects: SessionEffect[];
} {
  const dialog = withRemoteCseq(early.dialog, request);
  if (pending) {
    return { early: { ...early, dialog }, offer: pending, effects: [tryAgain(transaction, chance)] };
  }
  const session = sessionId(name, tag);
  return {
    early: { ...early, dialog: refreshTarget(dialog, request) },
    offer: { session, transaction, request },
    effects: [
      { do: 'start-timer', session, key: 'answer-limit', at: now + ANSWER_LIMIT_T1 * t1 },
      { do: 'emit', event: { type: 'offered', request } },
    ],
  };
}

/** Answers the offer, or refuses it with a status. */
export function settleEarlyOffer(
  { session, transaction }: EarlyOffer,
  outcome: Content | number,
): SessionEffect[] {
  const answer = typeof outcome === 'number' ? { status: outcome } : { status: 200, content: outcome };
  return [
    { do: 'cancel-timer', session, key: 'answer-limit' },
    { do: 'respond', transaction, ...answer },
  ];
}
