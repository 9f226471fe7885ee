import type { Step } from '../transaction/effects.ts';
import { cseqOf, dialogRequest, nextHop, refreshTarget } from './dialog.ts';
import { onAck, onRequest } from './session-requests.ts';
import { onFailure, onResponse } from './session-responses.ts';
import {
  type Content,
  endWithBye,
  repeatAnswer,
  type Session,
  type SessionEffect,
  type SessionInput,
  type SessionTimer,
  sayBye,
  stopRepeating,
  type TheirOffer,
} from './session-state.ts';

type SessionStep = Step<Session, SessionEffect>;

/**
 * A re-INVITE that got a provisional response and then nothing is given up after this time, which is Timer C's
 * minimum (RFC 3261 §16.6, step 11).
 */
const OFFER_LIMIT_MS = 180_000;

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
      return state.phase === 'live' ? onOwner(state, input, now) : { state, effects: [] };
  }
}

type OwnerInput = Extract<SessionInput, { type: 'offer' | 'answer-offer' | 'refuse-offer' | 'send-info' }>;

function onOwner(state: Session, input: OwnerInput, now: number): SessionStep {
  switch (input.type) {
    case 'offer':
      return offer(state, input.content, now);
    case 'answer-offer':
      return state.theirs ? answerOffer(state, state.theirs, input.content, now) : { state, effects: [] };
    case 'refuse-offer':
      if (!state.theirs) return { state, effects: [] };
      return {
        state: { ...state, theirs: undefined },
        effects: [{ do: 'respond', transaction: state.theirs.transaction, status: input.status }],
      };
    case 'send-info': {
      const { dialog, request } = dialogRequest(state.dialog, 'INFO', input.content);
      return {
        state: { ...state, dialog },
        effects: [{ do: 'request', session: state.id, request, hop: nextHop(dialog) }],
      };
    }
  }
}

function answerOffer(state: Session, theirs: TheirOffer, content: Content, now: number): SessionStep {
  const { transaction, request } = theirs;
  // §12.2.2: a target refresh request replaces the remote target.
  const accepted: Session = {
    ...state,
    theirs: undefined,
    dialog: refreshTarget(state.dialog, request),
  };
  const answer = { transaction, cseq: cseqOf(request), delayedOffer: request.body === '' };
  const { state: next, effects } = repeatAnswer(accepted, answer, now);
  return { state: next, effects: [{ do: 'respond', transaction, status: 200, content }, ...effects] };
}

function offer(state: Session, content: Content, now: number): SessionStep {
  // §14.1: no new INVITE while another INVITE transaction is in progress in either direction.
  if (state.ours || state.theirs || state.repeating) {
    return { state, effects: [{ do: 'tell', event: { type: 'offer-refused', status: 491 } }] };
  }
  const { dialog, request } = dialogRequest(state.dialog, 'INVITE', content);
  return {
    state: { ...state, dialog, ours: { state: 'sent', cseq: dialog.localCseq, content } },
    effects: [
      { do: 'request', session: state.id, request, hop: nextHop(dialog) },
      { do: 'start-timer', session: state.id, key: 'offer-limit', at: now + OFFER_LIMIT_MS },
    ],
  };
}

/** §9.2: a CANCEL of a re-INVITE that has no final response is answered with 487 to the re-INVITE. */
function onCancelled(state: Session, transaction: string): SessionStep {
  if (state.theirs?.transaction !== transaction) return { state, effects: [] };
  return {
    state: { ...state, theirs: undefined },
    effects: [
      { do: 'respond', transaction, status: 487 },
      { do: 'tell', event: { type: 'offer-withdrawn' } },
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
          { do: 'repeat-answer', transaction: state.repeating.transaction },
          { do: 'start-timer', session: state.id, key: 'repeat', at: now + interval },
        ],
      };
    }
    case 'no-ack': {
      // §13.3.1.4: the dialog is confirmed, but the session is terminated with a BYE.
      const effects: SessionEffect[] = [];
      const quiet = stopRepeating(state, effects);
      if (quiet.phase === 'live')
        return { state: endWithBye(quiet, { by: 'no-ack' }, effects, now), effects };
      return quiet.phase === 'awaiting-ack'
        ? { state: sayBye(quiet, effects), effects }
        : { state: quiet, effects };
    }
    case 'glare': {
      if (state.phase !== 'live' || state.ours?.state !== 'backing-off') return { state, effects: [] };
      return offer({ ...state, ours: undefined }, state.ours.content, now);
    }
    case 'offer-limit': {
      if (state.ours?.state !== 'sent') return { state, effects: [] };
      const effects: SessionEffect[] = [{ do: 'abandon-offer', session: state.id }];
      if (state.phase === 'live') {
        effects.push({ do: 'tell', event: { type: 'offer-refused', status: 408 } });
      }
      return { state: { ...state, ours: undefined }, effects };
    }
  }
}
