import type { Step } from '../step.ts';
import type { CallEffect, CallEnd, CallInput, CallState, CallTimer } from './call-state.ts';
import { negotiate, offerAnswered, offered, offerRefused, RESTART_AGAIN_MS, silence } from './negotiation.ts';

/** A path that comes back by itself within this time needs no restart of ICE. */
const RESTART_MS = 3_000;
/** A call without a connection for so long is over. */
const GIVE_UP_MS = 45_000;
const SAMPLE_MS = 5_000;
/** Between two digits by INFO: about the gap of the browser's own RFC 4733 events. */
const DIGIT_GAP_MS = 100;
/** What a comma in digits stands for, as for the browser's own events. */
const COMMA_MS = 2_000;

type CallStep = Step<CallState, CallEffect>;

/** One step of a call. */
export function stepCall(state: CallState, input: CallInput, now: number): CallStep {
  const effects: CallEffect[] = [];
  if (state.phase === 'ended') return { state, effects };
  const next = react(state, input, now, effects);
  return { state: recovered(negotiate(next, effects), effects), effects };
}

function react(state: CallState, input: CallInput, now: number, effects: CallEffect[]): CallState {
  switch (input.type) {
    case 'start':
      effects.push({ do: 'describe', isHeld: false, restartsIce: false });
      return state;
    case 'accept':
      return accept(state, effects);
    case 'reject':
      if (state.phase !== 'incoming') return state;
      effects.push({ do: 'send-rejection', status: input.status });
      return end(state, { by: 'local' }, effects);
    case 'ignore':
      return state.phase === 'incoming' ? end(state, { by: 'local' }, effects) : state;
    case 'hang-up':
      effects.push({ do: 'send-bye' });
      return end(state, { by: 'local' }, effects);
    case 'mute':
      if (state.isMuted === input.isMuted) return state;
      effects.push({ do: 'emit', event: { type: 'muted', isMuted: input.isMuted } });
      return silence({ ...state, isMuted: input.isMuted }, effects);
    case 'hold':
      return silence({ ...state, requested: { ...state.requested, isHeld: input.isHeld } }, effects);
    case 'digits':
      return sendDigits(state, input, now, effects);
    case 'transfer':
      if (state.phase === 'talking') effects.push({ do: 'send-refer', uri: input.uri });
      return state;
    case 'described':
      return described(state, input.sdp, now, effects);
    case 'media-failed':
      return mediaFailed(state, input.sentence, effects);
    case 'connection':
      return connectionChanged(state, input.state, now, effects);
    case 'info-answered':
      effects.push({ do: 'start-timer', key: 'digit', at: now + DIGIT_GAP_MS });
      return state;
    case 'dialog-ended':
      return end(state, input.end, effects);
    case 'signalling':
      return signallingChanged(state, input.isUp, now, effects);
    case 'timer-fired':
      return onTimer(state, input.key, now, effects);
    default:
      return onDialog(state, input, now, effects);
  }
}

type DialogInput = Extract<
  CallInput,
  { type: 'provisional' | 'answered' | 'acknowledged' | 'offered' | 'offer-answered' | 'offer-refused' }
>;

function onDialog(state: CallState, input: DialogInput, now: number, effects: CallEffect[]): CallState {
  switch (input.type) {
    case 'provisional': {
      const answer = input.answer;
      const isNew = !state.isAgreed && answer !== '';
      if (isNew) effects.push({ do: 'apply-answer', answer, isEarly: true });
      if (state.phase === 'calling') effects.push({ do: 'emit', event: { type: 'ringing' } });
      return { ...state, phase: 'ringing', offer: isNew ? answer : state.offer };
    }
    case 'answered': {
      // RFC 3262 §5: after a reliable early answer the 2xx has none.
      const answer = input.answer === '' ? state.offer : input.answer;
      effects.push({ do: 'apply-answer', answer, isEarly: false });
      return talk({ ...state, isAgreed: true }, now, effects);
    }
    case 'acknowledged':
      if (state.isAgreed || input.answer === '') return state;
      effects.push({ do: 'apply-answer', answer: input.answer, isEarly: false });
      return { ...state, isAgreed: true };
    case 'offered':
      return offered(state, input.offer, effects);
    case 'offer-answered':
      return offerAnswered(state, input, effects);
    case 'offer-refused':
      return offerRefused(state, input.status, now, effects);
  }
}

function accept(state: CallState, effects: CallEffect[]): CallState {
  if (state.phase !== 'incoming') return state;
  const { offer } = state;
  effects.push({ do: 'describe', ...(offer === '' ? {} : { offer }), isHeld: false, restartsIce: false });
  return { ...state, phase: 'accepting' };
}

/** The browser has described our side. Its microphone is open since the first time, and an earlier order to be silent did not reach it. */
function described(state: CallState, sdp: string, now: number, effects: CallEffect[]): CallState {
  silence(state, effects);
  if (state.phase === 'preparing') {
    effects.push({ do: 'invite', sdp });
    return { ...state, phase: 'calling' };
  }
  if (state.phase === 'accepting') {
    effects.push({ do: 'send-answer', sdp });
    return talk({ ...state, isAgreed: state.offer !== '' }, now, effects);
  }
  if (state.isAnswering) {
    effects.push({ do: 'answer-offer', sdp });
    return { ...state, isAnswering: false };
  }
  if (state.ours === undefined) return state;
  // The connection was lost meanwhile: the offer is made again over the next one.
  if (!state.isSignalling) {
    effects.push({ do: 'roll-back' });
    return { ...state, ours: undefined };
  }
  effects.push({ do: 'send-offer', sdp });
  return { ...state, ours: { ...state.ours, isSent: true } };
}

function mediaFailed(state: CallState, reason: string, effects: CallEffect[]): CallState {
  if (state.isAnswering) {
    effects.push({ do: 'refuse-offer', status: 488 });
    return { ...state, isAnswering: false };
  }
  effects.push(state.phase === 'accepting' ? { do: 'send-rejection', status: 480 } : { do: 'send-bye' });
  return end(state, { by: 'media-failed', reason }, effects);
}

function talk(state: CallState, now: number, effects: CallEffect[]): CallState {
  effects.push({ do: 'emit', event: { type: 'accepted' } });
  effects.push({ do: 'start-timer', key: 'sample', at: now + SAMPLE_MS });
  return { ...state, phase: 'talking' };
}

function connectionChanged(
  state: CallState,
  connection: 'connected' | 'disconnected' | 'failed',
  now: number,
  effects: CallEffect[],
): CallState {
  if (connection === 'connected') {
    effects.push({ do: 'stop-timer', key: 'restart' }, { do: 'stop-timer', key: 'restart-again' });
    if (!state.isConnected) effects.push({ do: 'emit', event: { type: 'connected' } });
    return { ...state, isConnected: true };
  }
  const next: CallState = { ...state, isConnected: false };
  if (state.phase !== 'talking') return next;
  if (connection === 'failed') return restart(next, now, effects);
  effects.push({ do: 'start-timer', key: 'restart', at: now + RESTART_MS });
  return next;
}

/** The phone has lost its socket, or has another one. The new dialog flow begins with a request of the phone. */
function signallingChanged(state: CallState, isUp: boolean, now: number, effects: CallEffect[]): CallState {
  if (isUp === state.isSignalling) return state;
  const next: CallState = { ...state, isSignalling: isUp };
  if (state.phase === 'talking') return isUp ? restart(next, now, effects) : reconnecting(next, now, effects);
  if (!isUp || state.phase === 'preparing') return next;
  // Responses to an unanswered call went to the lost socket, and cannot be had again.
  effects.push({ do: 'send-bye' });
  return end(next, { by: 'connection-lost' }, effects);
}

/** Restarts ICE, over a new offer. */
function restart(state: CallState, now: number, effects: CallEffect[]): CallState {
  effects.push({ do: 'start-timer', key: 'restart-again', at: now + RESTART_AGAIN_MS });
  const restarts = (state.ours ?? state.agreed).restarts + 1;
  return reconnecting({ ...state, requested: { ...state.requested, restarts } }, now, effects);
}

function reconnecting(state: CallState, now: number, effects: CallEffect[]): CallState {
  if (state.isReconnecting) return state;
  effects.push({ do: 'emit', event: { type: 'reconnecting' } });
  effects.push({ do: 'start-timer', key: 'give-up', at: now + GIVE_UP_MS });
  return { ...state, isReconnecting: true };
}

/** A call that reconnects is whole again with both signalling and audio, and without an open restart. */
function recovered(state: CallState, effects: CallEffect[]): CallState {
  const { isReconnecting, isSignalling, isConnected, requested, agreed } = state;
  if (!isReconnecting || !isSignalling || !isConnected || requested.restarts !== agreed.restarts)
    return state;
  for (const key of ['give-up', 'restart', 'restart-again'] as const) effects.push({ do: 'stop-timer', key });
  effects.push({ do: 'emit', event: { type: 'reconnected' } });
  return { ...state, isReconnecting: false };
}

function sendDigits(
  state: CallState,
  { digits, byMedia }: CallInput & { type: 'digits' },
  now: number,
  effects: CallEffect[],
): CallState {
  if (state.phase !== 'talking') return state;
  if (byMedia) {
    effects.push({ do: 'insert-digits', digits });
    return state;
  }
  const waiting: CallState = { ...state, digits: state.digits + digits };
  return state.isSendingDigit ? waiting : nextDigit(waiting, now, effects);
}

function nextDigit(state: CallState, now: number, effects: CallEffect[]): CallState {
  const [digit, ...rest] = state.digits;
  const next: CallState = { ...state, digits: rest.join(''), isSendingDigit: digit !== undefined };
  if (digit === ',') effects.push({ do: 'start-timer', key: 'digit', at: now + COMMA_MS });
  else if (digit !== undefined) {
    effects.push({ do: 'send-digit', digit }, { do: 'emit', event: { type: 'digit', digit } });
  }
  return next;
}

function onTimer(state: CallState, key: CallTimer, now: number, effects: CallEffect[]): CallState {
  switch (key) {
    case 'restart':
    case 'restart-again':
      return state.isConnected && !state.isReconnecting ? state : restart(state, now, effects);
    case 'give-up':
      effects.push({ do: 'send-bye' });
      return end(state, { by: 'connection-lost' }, effects);
    case 'sample':
      effects.push({ do: 'sample-quality' }, { do: 'start-timer', key: 'sample', at: now + SAMPLE_MS });
      return state;
    case 'digit':
      return nextDigit(state, now, effects);
  }
}

function end(state: CallState, reason: CallEnd, effects: CallEffect[]): CallState {
  effects.push(
    { do: 'stop-timers' },
    { do: 'close-media' },
    { do: 'emit', event: { type: 'ended', end: reason } },
  );
  return { ...state, phase: 'ended', ours: undefined, isAnswering: false };
}
