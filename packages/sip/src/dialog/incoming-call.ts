import type { SipRequest } from '../message/message.ts';
import type { Step } from '../transaction/effects.ts';
import type { TimerDurations } from '../transaction/timers.ts';
import { answerPlainRequest, type HeaderPairs } from './answers.ts';
import { createCalleeDialog, cseqOf, type Dialog, isOutOfOrder, withRemoteCseq } from './dialog.ts';
import { stepSession } from './session.ts';
import {
  agreeOnTerms,
  type Content,
  calleeSession,
  endWithBye,
  type Session,
  type SessionEffect,
  type SessionInput,
  type SessionTimer,
  withPeerMethods,
} from './session-state.ts';
import { answerTerms, DEFAULT_SESSION_INTERVAL, type SessionInterval } from './session-timer.ts';

/**
 * The callee's side of a call as a machine (RFC 3261 §13.3).
 *
 *   offered ──accept──▶ answered ──session ends──▶ ended
 *      ╰──reject, CANCEL, BYE, transport failed──▶ ended
 */
export type IncomingCall =
  | {
      readonly phase: 'offered';
      readonly transaction: string;
      readonly invite: SipRequest;
      readonly dialog: Dialog;
      readonly provisional: Provisional | undefined;
      readonly timers: TimerDurations;
      readonly wish: SessionInterval;
    }
  | { readonly phase: 'answered'; readonly transaction: string; readonly session: Session }
  /** `session` is what is left to do after an answered call: BYE, and ACK of late 2xx. */
  | { readonly phase: 'ended'; readonly session: Session | undefined };

/** A 1xx that was sent, to be sent again every minute. */
export interface Provisional {
  readonly status: number;
  readonly headers?: HeaderPairs;
  readonly content?: Content;
}

/** Timers of an incoming call: those of its session, `ringing`, which repeats the 1xx, and the limit of ringing. */
export type IncomingCallTimer = SessionTimer | 'ringing' | 'ringing-limit';

/** Inputs of an incoming call. */
export type IncomingCallInput =
  | ({ readonly type: 'ring' } & Provisional)
  | {
      readonly type: 'accept';
      readonly content: Content;
      readonly headers?: HeaderPairs;
    }
  | ({ readonly type: 'reject' } & Provisional)
  | { readonly type: 'hang-up' }
  | { readonly type: 'invite-failed'; readonly failure: 'timeout' | 'transport-failed' }
  | { readonly type: 'timer-fired'; readonly key: IncomingCallTimer }
  | { readonly type: 'session'; readonly input: SessionInput };

/** Orders of an incoming call. */
export type IncomingCallEffect =
  | SessionEffect
  | { readonly do: 'start-call-timer'; readonly scope: ''; readonly key: OfferTimer; readonly at: number }
  | { readonly do: 'cancel-call-timer'; readonly scope: ''; readonly key: OfferTimer };

type OfferTimer = 'ringing' | 'ringing-limit';

/** §13.3.1.1: proxies cancel after three minutes without a response; a provisional one every minute keeps them waiting. */
const RING_AGAIN_MS = 60_000;

/** Name of the only session of an incoming call. */
export const CALLEE_SESSION = 'callee';

type CallStep = Step<IncomingCall, IncomingCallEffect>;

/** The call that an INVITE outside a dialog offers; `localTag` is the To tag of all its responses. */
export function offeredCall(
  invite: SipRequest,
  localTag: string,
  transaction: string,
  timers: TimerDurations,
  ringingLimitMs: number,
  now: number,
  wish: SessionInterval = DEFAULT_SESSION_INTERVAL,
): CallStep {
  const dialog = createCalleeDialog(invite, localTag);
  return {
    state: { phase: 'offered', transaction, invite, dialog, provisional: undefined, timers, wish },
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

function whileOffered(
  state: IncomingCall & { phase: 'offered' },
  input: IncomingCallInput,
  now: number,
): CallStep {
  const { transaction } = state;
  switch (input.type) {
    case 'ring': {
      const { type: _, ...provisional } = input;
      return {
        state: { ...state, provisional },
        effects: [
          { do: 'respond', transaction, ...provisional },
          { do: 'start-call-timer', scope: '', key: 'ringing', at: now + RING_AGAIN_MS },
        ],
      };
    }
    case 'accept':
      return accept(state, input, now);
    case 'reject': {
      const { type: _, ...response } = input;
      return end([
        { do: 'respond', transaction, ...response },
        { do: 'end', reason: { by: 'local' } },
      ]);
    }
    case 'hang-up':
      return end([
        { do: 'respond', transaction, status: 603 },
        { do: 'end', reason: { by: 'local' } },
      ]);
    case 'invite-failed':
      return end([{ do: 'end', reason: { by: 'transport-failed' } }]);
    case 'timer-fired':
      if (input.key === 'ringing-limit') {
        // The caller neither cancelled nor was answered: it may be gone, and its owner has forgotten the leg.
        return end([
          { do: 'respond', transaction, status: 480 },
          { do: 'end', reason: { by: 'no-response' } },
        ]);
      }
      if (input.key !== 'ringing' || !state.provisional) return { state, effects: [] };
      return {
        state,
        effects: [
          { do: 'respond', transaction, ...state.provisional },
          { do: 'start-call-timer', scope: '', key: 'ringing', at: now + RING_AGAIN_MS },
        ],
      };
    case 'session':
      return onEarlyInput(state, input.input);
  }
}

function accept(
  state: IncomingCall & { phase: 'offered' },
  input: IncomingCallInput & { type: 'accept' },
  now: number,
): CallStep {
  const { transaction, invite, dialog, timers, wish } = state;
  const { terms, headers } = answerTerms(invite, wish);
  const answer = { transaction, cseq: cseqOf(invite), delayedOffer: invite.body === '' };
  const step = calleeSession(CALLEE_SESSION, dialog, timers, answer, now, wish);
  const effects: IncomingCallEffect[] = [
    {
      do: 'respond',
      transaction,
      status: 200,
      headers: [...headers, ...(input.headers ?? [])],
      content: input.content,
    },
  ];
  stopRinging(effects);
  const own: SessionEffect[] = [...step.effects];
  const local: Session = { ...withPeerMethods(step.state, invite), local: input.content };
  const session = agreeOnTerms(local, terms, own, now);
  return { state: { phase: 'answered', transaction, session }, effects: [...effects, ...own] };
}

/** A request of the caller within the early dialog. */
function onEarlyInput(state: IncomingCall & { phase: 'offered' }, input: SessionInput): CallStep {
  if (input.type === 'cancelled') {
    // §9.2: a CANCEL ends the INVITE that has no final response with 487.
    return end([
      { do: 'respond', transaction: state.transaction, status: 487 },
      { do: 'end', reason: { by: 'remote-cancel' } },
    ]);
  }
  if (input.type !== 'request') return { state, effects: [] };
  const { transaction, request } = input;
  if (isOutOfOrder(state.dialog, request)) {
    return { state, effects: [{ do: 'respond', transaction, status: 500 }] };
  }
  const numbered = { ...state, dialog: withRemoteCseq(state.dialog, request) };
  if (request.method === 'INVITE') {
    // §14.2: a second INVITE before the final response to the first.
    const headers: HeaderPairs = [['Retry-After', String(Math.floor(input.chance * 11))]];
    return { state: numbered, effects: [{ do: 'respond', transaction, status: 500, headers }] };
  }
  if (request.method === 'BYE') {
    // §15: the caller may end an early dialog with BYE; §15.1.2: the pending INVITE is answered with 487.
    return end([
      { do: 'respond', transaction, status: 200 },
      { do: 'respond', transaction: state.transaction, status: 487 },
      { do: 'end', reason: { by: 'remote-bye' } },
    ]);
  }
  const effects: IncomingCallEffect[] = [
    { do: 'respond', transaction, ...answerPlainRequest(request.method) },
  ];
  if (request.method === 'INFO') effects.push({ do: 'tell', event: { type: 'info', request } });
  return { state: numbered, effects };
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
      return input.key === 'ringing' || input.key === 'ringing-limit'
        ? { state, effects: [] }
        : inSession(state, session, { type: 'timer-fired', key: input.key }, now);
    case 'invite-failed': {
      // RFC 6026 §7.1: the 2xx could not be sent and nobody acknowledged it.
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
    if (input.type === 'timer-fired' && input.key !== 'ringing' && input.key !== 'ringing-limit') {
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

function end(effects: IncomingCallEffect[]): CallStep {
  stopRinging(effects);
  return { state: { phase: 'ended', session: undefined }, effects };
}

function stopRinging(effects: IncomingCallEffect[]): void {
  effects.push(
    { do: 'cancel-call-timer', scope: '', key: 'ringing' },
    { do: 'cancel-call-timer', scope: '', key: 'ringing-limit' },
  );
}
