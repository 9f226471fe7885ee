import type { Step } from '../step.ts';
import { backOffMs } from './back-off.ts';
import type { ClientToken } from './client-token.ts';
import type {
  PhoneEffect,
  PhoneFailure,
  PhoneInput,
  PhonePhase,
  PhoneState,
  PhoneTimer,
} from './phone-state.ts';

/** First attempts end after this time; a phone that was registered goes on for ever. */
const GIVE_UP_MS = 30_000;
/** RFC 5626 §4.4.1 recommends pings of a connection every 95 to 120 s; 25 s also notices a dead network soon. */
const PING_MS = 25_000;
/** RFC 5626 §4.4.1: without an answer in 10 s the flow counts as failed, and so does a flow that does not open. */
const PONG_MS = 10_000;
/** After a change of the network the old connection is probably dead. */
const PONG_AFTER_CHANGE_MS = 2_000;
/** A token is replaced when this part of the rest of its life has passed. */
const TOKEN_SHARE = 0.8;
/** 10001 no token, 10005 not valid yet, 10006 expired (docs/interface/client-tokens.md#on-sip): another token may be accepted. */
const REPLACEABLE = new Set([10001, 10005, 10006]);

type PhoneStep = Step<PhoneState, PhoneEffect>;

/** One step of a phone. */
export function stepPhone(state: PhoneState, input: PhoneInput, now: number): PhoneStep {
  const effects: PhoneEffect[] = [];
  const next = react(state, input, now, effects);
  return { state: proceed(next, now, effects), effects };
}

function react(state: PhoneState, input: PhoneInput, now: number, effects: PhoneEffect[]): PhoneState {
  switch (input.type) {
    case 'register':
      if (state.phase !== 'offline') return state;
      start(effects, 'give-up', now + GIVE_UP_MS);
      if (state.token !== undefined) startTokenTimer(state.token, now, effects);
      return inPhase({ ...state, failures: 0, hasReplaced: false }, 'connecting', effects);
    case 'unregister':
      return goOffline(state, effects, undefined);
    case 'token-fetched':
      return withToken({ ...state, isFetching: false }, input, now, effects);
    case 'token-failed':
      return tokenFailed({ ...state, isFetching: false }, input.sentence, input.chance, now, effects);
    case 'socket-opened':
      if (state.socket !== 'opening') return state;
      stop(effects, 'pong');
      start(effects, 'ping', now + PING_MS);
      effects.push({ do: 'emit', event: { type: 'signalling', isUp: true } });
      return { ...state, socket: 'open' };
    case 'socket-closed':
      return state.socket === 'closed' ? state : lost(state, input.chance, now, effects);
    case 'registered':
      return registered({ ...state, isRegistering: false }, input.expiresS, now, effects);
    case 'register-refused':
      return refused({ ...state, isRegistering: false }, input, now, effects);
    case 'heard':
      stop(effects, 'pong');
      return state;
    case 'network-changed':
      return networkChanged(state, now, effects);
    case 'calls-counted':
      return closeIdle({ ...state, calls: input.calls }, effects);
    case 'timer-fired':
      return onTimer(state, input.key, input.chance, now, effects);
  }
}

/** Orders whatever a phone that should be registered lacks. */
function proceed(state: PhoneState, now: number, effects: PhoneEffect[]): PhoneState {
  if (state.phase === 'offline') return state;
  let next = state;
  if (next.socket === 'closed') {
    effects.push({ do: 'open-socket' });
    start(effects, 'pong', now + PONG_MS);
    next = { ...next, socket: 'opening' };
  }
  const canFetch = next.login === 'fetched-token';
  // A token that the application pushed is sent after its end as well: the refusal ends what looks like a registration.
  const isOver = canFetch && next.token !== undefined && next.token.expiresAt <= now;
  const lacksToken = next.login !== 'password' && (next.token === undefined || isOver);
  if (lacksToken && canFetch && !next.isFetching && next.socket !== 'waiting') {
    effects.push({ do: 'fetch-token' });
    next = { ...next, isFetching: true };
  }
  if (next.socket === 'open' && !lacksToken && !next.isRegistering && !next.isBound) {
    effects.push({ do: 'send-register', token: next.token });
    next = { ...next, isRegistering: true };
  }
  return next;
}

/** A new token is used from the next REGISTER on, which follows at once. */
function withToken(
  state: PhoneState,
  { token, chance }: PhoneInput & { type: 'token-fetched' },
  now: number,
  effects: PhoneEffect[],
): PhoneState {
  if (token.expiresAt <= now) return tokenFailed(state, 'The token has expired.', chance, now, effects);
  startTokenTimer(token, now, effects);
  return { ...state, token, isBound: false };
}

function startTokenTimer(token: ClientToken, now: number, effects: PhoneEffect[]): void {
  start(effects, 'token', now + TOKEN_SHARE * Math.max(0, token.expiresAt - now));
}

function tokenFailed(
  state: PhoneState,
  sentence: string,
  chance: number,
  now: number,
  effects: PhoneEffect[],
): PhoneState {
  if (state.phase === 'offline') return state;
  const failures = state.failures + 1;
  // While the present token is valid the registration goes on with it.
  if (state.token !== undefined && state.token.expiresAt > now) {
    start(effects, 'token', now + backOffMs(failures, chance));
    return { ...state, failures };
  }
  if (state.phase === 'connecting') return goOffline(state, effects, { code: 'no-token', sentence });
  return lost(state, chance, now, effects);
}

function registered(state: PhoneState, expiresS: number, now: number, effects: PhoneEffect[]): PhoneState {
  if (state.phase === 'offline') return state;
  stop(effects, 'give-up');
  // Before the binding expires, with time for another attempt.
  start(effects, 'refresh', now + Math.max(1, expiresS * 0.8) * 1000);
  const bound: PhoneState = { ...state, isBound: true, failures: 0, hasReplaced: false };
  return inPhase(bound, 'registered', effects);
}

function refused(
  state: PhoneState,
  { status, tokenError, chance }: PhoneInput & { type: 'register-refused' },
  now: number,
  effects: PhoneEffect[],
): PhoneState {
  if (state.phase === 'offline') return state;
  const mayReplace = state.login === 'fetched-token' && !state.hasReplaced;
  if (mayReplace && tokenError !== undefined && REPLACEABLE.has(tokenError))
    return { ...state, token: undefined, hasReplaced: true };
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (!isFinal) return lost(state, chance, now, effects);
  const failure = { code: 'refused', status, ...(tokenError === undefined ? {} : { tokenError }) } as const;
  return goOffline(state, effects, failure);
}

/** The socket is closed or of no use: the next attempt follows after a wait. */
function lost(state: PhoneState, chance: number, now: number, effects: PhoneEffect[]): PhoneState {
  const unbound = closeSocket(state, effects);
  if (state.phase === 'offline') return unbound;
  const failures = state.failures + 1;
  start(effects, 'retry', now + backOffMs(failures, chance));
  const waiting: PhoneState = { ...unbound, socket: 'waiting', failures };
  return state.phase === 'registered' ? inPhase(waiting, 'reconnecting', effects) : waiting;
}

function networkChanged(state: PhoneState, now: number, effects: PhoneEffect[]): PhoneState {
  if (state.socket === 'waiting') {
    stop(effects, 'retry');
    return { ...state, socket: 'closed', failures: 0 };
  }
  if (state.socket === 'open') {
    effects.push({ do: 'send-ping' });
    start(effects, 'pong', now + PONG_AFTER_CHANGE_MS);
  }
  return state;
}

function onTimer(
  state: PhoneState,
  key: PhoneTimer,
  chance: number,
  now: number,
  effects: PhoneEffect[],
): PhoneState {
  switch (key) {
    case 'retry':
      return state.socket === 'waiting' ? { ...state, socket: 'closed' } : state;
    case 'refresh':
      return { ...state, isBound: false };
    case 'token':
      return tokenDue(state, effects);
    case 'ping':
      if (state.socket !== 'open') return state;
      effects.push({ do: 'send-ping' });
      start(effects, 'ping', now + PING_MS);
      start(effects, 'pong', now + PONG_MS);
      return state;
    case 'pong':
      return lost(state, chance, now, effects);
    case 'give-up':
      return state.phase === 'connecting' ? goOffline(state, effects, { code: 'unreachable' }) : state;
  }
}

function tokenDue(state: PhoneState, effects: PhoneEffect[]): PhoneState {
  if (state.token === undefined) return state;
  if (state.phase === 'offline' || state.isFetching) return state;
  if (state.failures === 0)
    effects.push({ do: 'emit', event: { type: 'token-will-expire', expiresAt: state.token.expiresAt } });
  if (state.login !== 'fetched-token') return state;
  effects.push({ do: 'fetch-token' });
  return { ...state, isFetching: true };
}

function goOffline(state: PhoneState, effects: PhoneEffect[], failure: PhoneFailure | undefined): PhoneState {
  if (state.phase === 'offline') return state;
  for (const key of ['retry', 'refresh', 'token', 'give-up'] as const) stop(effects, key);
  if (failure === undefined && state.isBound && state.socket === 'open')
    effects.push({ do: 'send-unregister', token: state.token });
  const socket = state.socket === 'waiting' ? 'closed' : state.socket;
  const offline: PhoneState = { ...state, socket, isBound: false, isRegistering: false };
  const next = inPhase(offline, 'offline', effects);
  if (failure !== undefined) effects.push({ do: 'emit', event: { type: 'failed', failure } });
  return closeIdle(next, effects);
}

/** A socket without a registration is open for the sake of calls alone. */
function closeIdle(state: PhoneState, effects: PhoneEffect[]): PhoneState {
  if (state.phase !== 'offline' || state.calls > 0 || state.socket === 'closed') return state;
  return closeSocket(state, effects);
}

function closeSocket(state: PhoneState, effects: PhoneEffect[]): PhoneState {
  for (const key of ['ping', 'pong', 'refresh'] as const) stop(effects, key);
  if (state.socket === 'open') effects.push({ do: 'emit', event: { type: 'signalling', isUp: false } });
  if (state.socket !== 'waiting') effects.push({ do: 'close-socket' });
  return { ...state, socket: 'closed', isBound: false, isRegistering: false };
}

function inPhase(state: PhoneState, phase: PhonePhase, effects: PhoneEffect[]): PhoneState {
  if (state.phase === phase) return state;
  effects.push({ do: 'emit', event: { type: 'state', phase } });
  return { ...state, phase };
}

function start(effects: PhoneEffect[], key: PhoneTimer, at: number): void {
  effects.push({ do: 'start-timer', key, at });
}

function stop(effects: PhoneEffect[], key: PhoneTimer): void {
  effects.push({ do: 'stop-timer', key });
}
