import type { SipRequest } from '../message/message.ts';
import type { TimerDurations } from '../transaction/timers.ts';
import type { HeaderPairs } from './answers.ts';
import type { Dialog } from './dialog.ts';
import type { Provisional } from './reliable-provisional.ts';
import type {
  Content,
  Session,
  SessionEffect,
  SessionInput,
  SessionTimer,
  TheirOffer,
} from './session-state.ts';
import type { SessionInterval } from './session-timer.ts';

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
      readonly preferred: SessionInterval;
      readonly reliability: 'none' | 'supported' | 'required';
      /** RSeq of the last response that was sent reliably. */
      readonly rseq: number;
      /** The reliable response that waits for its PRACK, with the time after which it was sent last. */
      readonly unacknowledged:
        | { readonly rseq: number; readonly response: Provisional; readonly interval: number }
        | undefined;
      /** Reliable responses that wait for that PRACK. */
      readonly queue: readonly Provisional[];
      /** The owner's 2xx, which waits for that PRACK. */
      readonly acceptance: Acceptance | undefined;
      /** Offer and answer have been exchanged before the 2xx (RFC 3262 §5). */
      readonly isAgreed: boolean;
      /** An offer in a PRACK or UPDATE that the owner has not answered. */
      readonly theirs: TheirOffer | undefined;
      /** Our last answer to such an offer. */
      readonly changed: Content | undefined;
    }
  | { readonly phase: 'answered'; readonly transaction: string; readonly session: Session }
  /** `session` finishes the signalling of an answered call: BYE, and ACK of late 2xx. */
  | { readonly phase: 'ended'; readonly session: Session | undefined };

/** A 2xx of the owner. */
export interface Acceptance {
  readonly content: Content;
  readonly headers?: HeaderPairs;
}

/**
 * Timers of an incoming call: those of its session; `ringing` repeats the 1xx until `ringing-limit`; `prack` repeats a reliable
 * 1xx until `prack-limit`.
 */
export type IncomingCallTimer = SessionTimer | OfferTimer;

/** Inputs of an incoming call. */
export type IncomingCallInput =
  | ({ readonly type: 'ring' } & Provisional)
  | ({ readonly type: 'accept' } & Acceptance)
  | ({ readonly type: 'reject' } & Provisional)
  | { readonly type: 'hang-up' }
  | { readonly type: 'invite-failed'; readonly failure: 'timeout' | 'transport-failed' }
  | { readonly type: 'timer-fired'; readonly key: IncomingCallTimer }
  | { readonly type: 'session'; readonly input: SessionInput };

/** Effects of an incoming call. */
export type IncomingCallEffect =
  | SessionEffect
  | { readonly do: 'start-call-timer'; readonly scope: ''; readonly key: OfferTimer; readonly at: number }
  | { readonly do: 'cancel-call-timer'; readonly scope: ''; readonly key: OfferTimer };

/** Timers of a call that has no final response yet. */
export type OfferTimer = 'ringing' | 'ringing-limit' | 'prack' | 'prack-limit';

/** Name of the only session of an incoming call. */
export const CALLEE_SESSION = 'callee';
