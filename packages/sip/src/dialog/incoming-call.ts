import type { SipRequest } from '../message/message.ts';
import { type Step, stay } from '../transaction/effects.ts';
import type { TimerDurations } from '../transaction/timers.ts';
import { createCalleeDialog, cseqOf, isOutOfOrder } from './dialog.ts';
import {
  type Acceptance,
  CALLEE_SESSION,
  type IncomingCall,
  type IncomingCallEffect,
  type IncomingCallInput,
  type IncomingCallTimer,
  type OfferTimer,
} from './incoming-call-state.ts';
import {
  answerOf,
  type OfferedCall,
  onEarlyRequest,
  repeatReliable,
  ring,
  ringAgain,
  sendNext,
  settleEarlyOffer,
  stopReliable,
} from './incoming-early.ts';
import { firstRSeq, type Provisional, reliabilityOf } from './reliable-provisional.ts';
import { stepSession } from './session.ts';
import { endWithBye } from './session-end.ts';
import {
  agreeOnTerms,
  calleeSession,
  type EndReason,
  type Session,
  type SessionEffect,
  type SessionInput,
  withPeerMethods,
} from './session-state.ts';
import { answerTerms, DEFAULT_SESSION_INTERVAL, type SessionInterval } from './session-timer.ts';

type CallStep = Step<IncomingCall, IncomingCallEffect>;

/**
 * The call that an INVITE outside a dialog offers; `localTag` is the To tag of all its responses, `chance` a random number in
 * [0, 1) for the first RSeq.
 */
export function offeredCall(
  invite: SipRequest,
  localTag: string,
  transaction: string,
  timers: TimerDurations,
  ringingLimitMs: number,
  now: number,
  { preferred = DEFAULT_SESSION_INTERVAL, chance = 0 }: { preferred?: SessionInterval; chance?: number } = {},
): CallStep {
  const dialog = createCalleeDialog(invite, localTag);
  return {
    state: {
      phase: 'offered',
      transaction,
      invite,
      dialog,
      provisional: undefined,
      timers,
      preferred,
      reliability: reliabilityOf(invite),
      rseq: firstRSeq(chance) - 1,
      unacknowledged: undefined,
      queue: [],
      acceptance: undefined,
      isAgreed: false,
      theirs: undefined,
      changed: undefined,
    },
    effects: [{ do: 'start-call-timer', scope: '', key: 'ringing-limit', at: now + ringingLimitMs }],
  };
}

/** One step of the callee's side of a call. */
export function stepIncomingCall(state: IncomingCall, input: IncomingCallInput, now: number): CallStep {
  switch (state.phase) {
    case 'offered':
      return whileOffered(state, input, now);
    case 'answered':
      return whileAnswered(state, input, now);
    case 'ended':
      return whileEnded(state, input, now);
  }
}

function whileOffered(state: OfferedCall, input: IncomingCallInput, now: number): CallStep {
  const { transaction } = state;
  const effects: IncomingCallEffect[] = [];
  switch (input.type) {
    case 'ring': {
      const { type: _, ...provisional } = input;
      return { state: ring(state, provisional, effects, now), effects };
    }
    case 'accept': {
      const { type: _, ...acceptance } = input;
      // RFC 3262 §3: no 2xx while a reliable response with a description has no PRACK, which takes a round trip.
      if (state.unacknowledged) return { state: { ...state, acceptance, queue: [] }, effects };
      return accept(state, acceptance, now);
    }
    case 'reject': {
      const { type: _, ...response } = input;
      return end(state, response, { by: 'local' });
    }
    case 'hang-up':
      return end(state, { status: 603 }, { by: 'local' });
    case 'invite-failed':
      return end(state, undefined, { by: 'transport-failed' });
    case 'timer-fired':
      return onOfferTimer(state, input.key, now);
    case 'session':
      break;
  }
  const { input: early } = input;
  switch (early.type) {
    case 'cancelled':
      // §9.2: a CANCEL ends an INVITE without a final response with 487.
      return early.transaction === transaction
        ? end(state, { status: 487 }, { by: 'remote-cancel' })
        : stay(state);
    case 'request': {
      const { request } = early;
      if (request.method === 'BYE' && !isOutOfOrder(state.dialog, request)) {
        // §15: the caller may end an early dialog with BYE; §15.1.2: the pending INVITE is answered with 487.
        const ended = end(state, { status: 487 }, { by: 'remote-bye' });
        const answered = { do: 'respond', transaction: early.transaction, status: 200 } as const;
        return { state: ended.state, effects: [answered, ...ended.effects] };
      }
      return goOn(onEarlyRequest(state, early, effects, now), effects, now);
    }
    case 'answer-offer':
      return goOn(settleEarlyOffer(state, early.content, effects), effects, now);
    case 'refuse-offer':
      return goOn(settleEarlyOffer(state, early.status, effects), effects, now);
    default:
      return { state, effects };
  }
}

function onOfferTimer(state: OfferedCall, key: IncomingCallTimer, now: number): CallStep {
  const effects: IncomingCallEffect[] = [];
  switch (key) {
    case 'ringing-limit':
      // The caller did not cancel and the owner did not answer: either may be gone.
      return end(state, { status: 480 }, { by: 'no-response' });
    case 'ringing':
      return { state: ringAgain(state, effects, now), effects };
    case 'prack':
      return { state: repeatReliable(state, effects, now), effects };
    case 'prack-limit':
      // RFC 3262 §3: after 64*T1 without PRACK the INVITE is rejected with a 5xx.
      return end(state, { status: 504 }, { by: 'no-ack' });
    case 'answer-limit':
      return goOn(settleEarlyOffer(state, 504, effects), effects, now);
    default:
      return { state, effects };
  }
}

/** After a PRACK: sends the next reliable response, or the 2xx. */
function goOn(state: OfferedCall, effects: readonly IncomingCallEffect[], now: number): CallStep {
  const more: IncomingCallEffect[] = [];
  const accepted = !state.unacknowledged && state.acceptance && accept(state, state.acceptance, now);
  const next = accepted ? accepted.state : sendNext(state, more, now);
  if (accepted) more.push(...accepted.effects);
  // Emitted last, because the owner may react at once.
  const isEvent = (effect: IncomingCallEffect) => effect.do === 'emit';
  const orders = effects.filter((effect) => !isEvent(effect));
  return { state: next, effects: [...orders, ...more, ...effects.filter(isEvent)] };
}

function accept(state: OfferedCall, acceptance: Acceptance, now: number): CallStep {
  const { transaction, invite, dialog, timers, preferred, theirs } = state;
  const { terms, headers } = answerTerms(invite, preferred);
  const { content, delayedOffer } = answerOf(state, acceptance.content);
  const answer = { transaction, cseq: cseqOf(invite), delayedOffer };
  const step = calleeSession(CALLEE_SESSION, dialog, timers, answer, now, preferred);
  const effects: IncomingCallEffect[] = [
    {
      do: 'respond',
      transaction,
      status: 200,
      headers: [...headers, ...(acceptance.headers ?? [])],
      ...(content && { content }),
    },
  ];
  stopRinging(effects);
  const own: SessionEffect[] = [...step.effects];
  const local = state.changed ?? acceptance.content;
  const session = agreeOnTerms({ ...withPeerMethods(step.state, invite), local, theirs }, terms, own, now);
  return { state: { phase: 'answered', transaction, session }, effects: [...effects, ...own] };
}

function whileAnswered(
  state: IncomingCall & { phase: 'answered' },
  input: IncomingCallInput,
  now: number,
): CallStep {
  const { session } = state;
  switch (input.type) {
    case 'hang-up':
      return inSession(state, session, { type: 'hang-up' }, now);
    case 'session':
      return inSession(state, session, input.input, now);
    case 'timer-fired':
      return isOfferTimer(input.key)
        ? { state, effects: [] }
        : inSession(state, session, { type: 'timer-fired', key: input.key }, now);
    case 'invite-failed': {
      // RFC 6026 §7.1: the 2xx could not be sent, so no ACK can come.
      if (!session.repeating) return { state, effects: [] };
      const effects: SessionEffect[] = [];
      const ending = endWithBye(session, { by: 'transport-failed' }, effects, now);
      return { state: { phase: 'ended', session: ending }, effects };
    }
    case 'ring':
    case 'accept':
    case 'reject':
      return { state, effects: [] };
  }
}

function whileEnded(
  state: IncomingCall & { phase: 'ended' },
  input: IncomingCallInput,
  now: number,
): CallStep {
  if (state.session) {
    if (input.type === 'session') return inSession(state, state.session, input.input, now);
    if (input.type === 'timer-fired' && !isOfferTimer(input.key)) {
      return inSession(state, state.session, { type: 'timer-fired', key: input.key }, now);
    }
  } else if (input.type === 'session' && input.input.type === 'request') {
    const { transaction } = input.input;
    return { state, effects: [{ do: 'respond', transaction, status: 481 }] };
  }
  return { state, effects: [] };
}

function inSession(state: IncomingCall, session: Session, input: SessionInput, now: number): CallStep {
  const step = stepSession(session, input, now);
  if (state.phase !== 'answered')
    return { state: { phase: 'ended', session: step.state }, effects: step.effects };
  const ended = step.effects.some((effect) => effect.do === 'end');
  return {
    state: ended ? { phase: 'ended', session: step.state } : { ...state, session: step.state },
    effects: step.effects,
  };
}

function end(state: OfferedCall, response: Provisional | undefined, reason: EndReason): CallStep {
  const { transaction, theirs } = state;
  const effects: IncomingCallEffect[] = [];
  if (theirs) {
    effects.push(
      { do: 'respond', transaction: theirs.transaction, status: 487 },
      { do: 'cancel-timer', session: CALLEE_SESSION, key: 'answer-limit' },
    );
  }
  stopReliable(state, effects);
  stopRinging(effects);
  if (response) effects.push({ do: 'respond', transaction, ...response });
  effects.push({ do: 'end', reason });
  return { state: { phase: 'ended', session: undefined }, effects };
}

function stopRinging(effects: IncomingCallEffect[]): void {
  effects.push(
    { do: 'cancel-call-timer', scope: '', key: 'ringing' },
    { do: 'cancel-call-timer', scope: '', key: 'ringing-limit' },
  );
}

function isOfferTimer(key: IncomingCallTimer): key is OfferTimer {
  return key === 'ringing' || key === 'ringing-limit' || key === 'prack' || key === 'prack-limit';
}
