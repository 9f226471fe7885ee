import type { ClientToken } from './client-token.ts';

/** The state of a phone that an application sees. */
export type PhonePhase = 'offline' | 'connecting' | 'registered' | 'reconnecting';

/** Why a phone is offline although it should be registered. */
export type PhoneFailure =
  /** The server refused the password, or the token with the code of `docs/interface/client-tokens.md`. */
  | { readonly code: 'refused'; readonly status: number; readonly tokenError?: number }
  /** The function that fetches tokens failed. */
  | { readonly code: 'no-token'; readonly sentence: string }
  /** The server could not be reached in time. */
  | { readonly code: 'unreachable' };

/** Timers of a phone, in order: a new attempt; the next REGISTER; a new token; the next ping; its answer; the end of first attempts. */
export type PhoneTimer = 'retry' | 'refresh' | 'token' | 'ping' | 'pong' | 'give-up';

/**
 * A phone that keeps a registration over a WebSocket that may break.
 *
 *   offline ──register──▶ connecting ──registered──▶ registered ◀──registered──╮
 *      ▲                      │                          ╰──socket lost──▶ reconnecting
 *      ╰──refused, unregister, unreachable at the first attempts──╯
 */
export interface PhoneState {
  readonly phase: PhonePhase;
  /** `waiting`: closed until the next attempt. */
  readonly socket: 'closed' | 'waiting' | 'opening' | 'open';
  /** How the phone proves who it is: a password, tokens that a function fetches, or tokens that the application pushes. */
  readonly login: 'password' | 'fetched-token' | 'pushed-token';
  readonly token: ClientToken | undefined;
  readonly isFetching: boolean;
  /** A REGISTER has no response. */
  readonly isRegistering: boolean;
  /** The registration on this socket is that of the present token. */
  readonly isBound: boolean;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** A refused token was replaced once since the last success. */
  readonly hasReplaced: boolean;
  /** Live calls: they keep the socket open without a registration. */
  readonly calls: number;
}

/** Inputs of a phone; `chance` is a fresh random number in [0, 1). */
export type PhoneInput =
  | { readonly type: 'register' }
  | { readonly type: 'unregister' }
  | { readonly type: 'token-fetched'; readonly token: ClientToken; readonly chance: number }
  | { readonly type: 'token-failed'; readonly sentence: string; readonly chance: number }
  | { readonly type: 'socket-opened' }
  | { readonly type: 'socket-closed'; readonly chance: number }
  | { readonly type: 'registered'; readonly expiresS: number }
  | {
      readonly type: 'register-refused';
      /** 0 without a response. */
      readonly status: number;
      readonly tokenError?: number;
      readonly chance: number;
    }
  /** A message came from the server. */
  | { readonly type: 'heard' }
  /** The machine has another network, or one again. */
  | { readonly type: 'network-changed' }
  | { readonly type: 'calls-counted'; readonly calls: number }
  | { readonly type: 'timer-fired'; readonly key: PhoneTimer; readonly chance: number };

/** Events of a phone for the application. */
export type PhoneEvent =
  | { readonly type: 'state'; readonly phase: PhonePhase }
  | { readonly type: 'failed'; readonly failure: PhoneFailure }
  | { readonly type: 'token-will-expire'; readonly expiresAt: number }
  /** The socket is open or closed, for the calls. */
  | { readonly type: 'signalling'; readonly isUp: boolean };

/** Orders of a phone. */
export type PhoneEffect =
  | { readonly do: 'open-socket' }
  | { readonly do: 'close-socket' }
  | { readonly do: 'fetch-token' }
  | { readonly do: 'send-register'; readonly token: ClientToken | undefined }
  | { readonly do: 'send-unregister'; readonly token: ClientToken | undefined }
  | { readonly do: 'send-ping' }
  | { readonly do: 'start-timer'; readonly key: PhoneTimer; readonly at: number }
  | { readonly do: 'stop-timer'; readonly key: PhoneTimer }
  | { readonly do: 'emit'; readonly event: PhoneEvent };

/** A phone before its first registration. */
export function newPhone(login: PhoneState['login'], token?: ClientToken): PhoneState {
  return {
    phase: 'offline',
    socket: 'closed',
    login,
    token,
    isFetching: false,
    isRegistering: false,
    isBound: false,
    failures: 0,
    hasReplaced: false,
    calls: 0,
  };
}
