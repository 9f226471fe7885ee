import type { Step } from '../transaction/effects.ts';
import { dialogRequest, nextHop } from './dialog.ts';
import { byeWhenDue, endWithBye } from './session-end.ts';
import { answerOffer, isNegotiating, offer, refresh, refuseOffer, sendOffer } from './session-offers.ts';
import { acceptReferral, referralExpired, refuseReferral, reportReferral } from './session-refer.ts';
import { onAck, onRequest } from './session-requests.ts';
import { onFailure, onResponse } from './session-responses.ts';
import {
  type Session,
  type SessionEffect,
  type SessionInput,
  type SessionTimer,
  stopRepeating,
} from './session-state.ts';
import { sendRefer } from './session-transfer.ts';

type SessionStep = Step<Session, SessionEffect>;

/** One step of a confirmed INVITE dialog. */
export function stepSession(state: Session, input: SessionInput, now: number): SessionStep {
  switch (input.type) {
    case 'request':
      return onRequest(state, input.transaction, input.request, input.chance, now);
    case 'ack':
      return onAck(state, input.request);
    case 'cancelled':
      return onCancelled(state, input.transaction);
    case 'response':
      return onResponse(state, input, now);
    case 'failed':
      return onFailure(state, input.method, input.failure, now);
    case 'timer-fired':
      return onTimer(state, input.key, now);
    case 'hang-up': {
      if (state.phase !== 'live') return { state, effects: [] };
      const effects: SessionEffect[] = [];
      return { state: endWithBye(state, { by: 'local' }, effects, now), effects };
    }
    case 'offer':
    case 'answer-offer':
    case 'refuse-offer':
    case 'send-info':
    case 'send-refer':
    case 'accept-referral':
    case 'refuse-referral':
    case 'report-referral':
      return state.phase === 'live' ? onOwner(state, input, now) : { state, effects: [] };
  }
}

type OwnerInput = Exclude<
  SessionInput,
  { type: 'request' | 'ack' | 'cancelled' | 'response' | 'failed' | 'timer-fired' | 'hang-up' }
>;

function onOwner(state: Session, input: OwnerInput, now: number): SessionStep {
  switch (input.type) {
    case 'offer':
      return offer(state, input.content, input.method ?? 'INVITE', now);
    case 'answer-offer':
      return state.theirs ? answerOffer(state, state.theirs, input.content, now) : { state, effects: [] };
    case 'refuse-offer':
      return state.theirs ? refuseOffer(state, state.theirs, input.status) : { state, effects: [] };
    case 'send-info': {
      const { dialog, request } = dialogRequest(state.dialog, 'INFO', input.content);
      return {
        state: { ...state, dialog },
        effects: [{ do: 'request', session: state.id, request, hop: nextHop(dialog) }],
      };
    }
    case 'send-refer':
      return sendRefer(state, input.uri, input.headers);
    case 'accept-referral':
      return acceptReferral(state, now);
    case 'refuse-referral':
      return refuseReferral(state, input.status, input.headers);
    case 'report-referral':
      return reportReferral(state, input.status, input.phrase);
  }
}

/** §9.2: a CANCEL of a re-INVITE without a final response ends it with 487. */
function onCancelled(state: Session, transaction: string): SessionStep {
  if (state.theirs?.transaction !== transaction) return { state, effects: [] };
  return {
    state: { ...state, theirs: undefined },
    effects: [
      { do: 'respond', transaction, status: 487 },
      { do: 'emit', event: { type: 'offer-withdrawn' } },
    ],
  };
}

function onTimer(state: Session, key: SessionTimer, now: number): SessionStep {
  switch (key) {
    case 'repeat': {
      if (!state.repeating) return { state, effects: [] };
      const interval = Math.min(state.repeating.interval * 2, state.timers.t2);
      return {
        state: { ...state, repeating: { ...state.repeating, interval } },
        effects: [
          { do: 'repeat-answer', session: state.id, transaction: state.repeating.transaction },
          { do: 'start-timer', session: state.id, key: 'repeat', at: now + interval },
        ],
      };
    }
    case 'no-ack': {
      // §13.3.1.4: the dialog is confirmed, but a BYE terminates the session.
      const effects: SessionEffect[] = [];
      const quiet = stopRepeating(state, effects);
      if (quiet.phase === 'live')
        return { state: endWithBye(quiet, { by: 'no-ack' }, effects, now), effects };
      return { state: byeWhenDue(quiet, effects), effects };
    }
    case 'glare': {
      if (state.phase !== 'live' || state.ours?.state !== 'backing-off') return { state, effects: [] };
      const again: Session = { ...state, ours: undefined };
      if (!isNegotiating(again)) {
        const effects: SessionEffect[] = [];
        return { state: sendOffer(again, state.ours, effects, now), effects };
      }
      return state.ours.isRefresh
        ? { state: again, effects: [] }
        : { state: again, effects: [{ do: 'emit', event: { type: 'offer-refused', status: 491 } }] };
    }
    case 'offer-limit': {
      if (state.ours?.state !== 'sent') return { state, effects: [] };
      const effects: SessionEffect[] = [{ do: 'abandon-offer', session: state.id }];
      if (state.phase === 'live' && !state.ours.isRefresh) {
        effects.push({ do: 'emit', event: { type: 'offer-refused', status: 408 } });
      }
      return { state: { ...state, ours: undefined }, effects };
    }
    case 'answer-limit':
      // RFC 3311 §5.2: 504 if the owner does not answer the UPDATE in time.
      return state.theirs && state.theirs.request.method !== 'INVITE'
        ? refuseOffer(state, state.theirs, 504)
        : { state, effects: [] };
    case 'refresh':
      return refresh(state, now);
    case 'referral':
      return state.phase === 'live' ? referralExpired(state) : { state, effects: [] };
    case 'expiry': {
      // RFC 4028 §10: each side, the refresher as well, ends the session with BYE when no refresh comes in time.
      if (state.phase !== 'live') return { state, effects: [] };
      const effects: SessionEffect[] = [];
      return { state: endWithBye(state, { by: 'session-expired' }, effects, now), effects };
    }
  }
}
