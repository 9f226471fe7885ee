import type { SipResponse } from '../message/message.ts';

/** The result of a step: the next state, and the effects that its driver carries out in order. */
export interface Step<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/**
 * Names of the transaction timers in RFC 3261 and RFC 6026; `100` is the 200 ms after which a 100 (Trying) is due, and
 * `unanswered` the longest time that a client waits for an answer.
 */
export type TransactionTimer =
  | 'A'
  | 'B'
  | 'D'
  | 'E'
  | 'F'
  | 'G'
  | 'H'
  | 'I'
  | 'J'
  | 'K'
  | 'L'
  | 'M'
  | '100'
  | 'unanswered';

/** Effects of all four kinds of transactions. A started timer replaces a running one with the same key. */
export type TransactionEffect =
  | { readonly do: 'send'; readonly text: string }
  | { readonly do: 'start-timer'; readonly key: TransactionTimer; readonly at: number }
  | { readonly do: 'cancel-timer'; readonly key: TransactionTimer }
  /** Reports a failure to the transaction user, before the transaction terminates (RFC 3261 §17.1.4, §17.2.4). */
  | { readonly do: 'report'; readonly failure: TransactionFailure }
  /** The transaction is destroyed: its remaining timers stop and its key is free. */
  | { readonly do: 'terminate' };

/** Why a transaction failed. */
export type TransactionFailure = 'timeout' | 'transport-failed';

/** Effects of client transactions: those of all, and delivery of a response to the transaction user. */
export type ClientEffect = TransactionEffect | { readonly do: 'deliver'; readonly response: SipResponse };

/** Inputs of client transactions; with `abandon` the transaction user ends the wait (RFC 3261 §9.1, 64*T1 after CANCEL). */
export type ClientInput =
  | { readonly type: 'response'; readonly response: SipResponse }
  | { readonly type: 'timer-fired'; readonly key: TransactionTimer }
  | { readonly type: 'transport-failed' }
  | { readonly type: 'abandon' };

/** Inputs of server transactions: a repeated request, the transaction user's response, timers and the transport. */
export type ServerInput =
  | { readonly type: 'request' }
  | {
      readonly type: 'respond';
      readonly status: number;
      readonly text: string;
      /** Repeated for a repeated request, but never by a timer. */
      readonly once?: boolean;
    }
  | { readonly type: 'timer-fired'; readonly key: TransactionTimer }
  | { readonly type: 'transport-failed' };

const none: readonly never[] = [];

/** A step that changes nothing. */
export function stay<State>(state: State): Step<State, never> {
  return { state, effects: none };
}
