import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import type { TimerDurations } from '../transaction/timers.ts';
import type { HeaderPairs } from './answers.ts';
import type { Dialog } from './dialog.ts';
import { type Notifying, noReferral, type Referral } from './referral.ts';
import {
  DEFAULT_SESSION_INTERVAL,
  expiryDelayMs,
  refreshDelayMs,
  type SessionInterval,
  type SessionTerms,
} from './session-timer.ts';

/** Why a leg ended; each leg ends once, with one of these. */
export type EndReason =
  | { readonly by: 'remote-bye' }
  | { readonly by: 'remote-cancel' }
  | { readonly by: 'local' }
  | {
      readonly by: 'rejected';
      readonly status: number;
      readonly reason: string;
      readonly response: SipResponse;
    }
  | { readonly by: 'no-response' }
  | { readonly by: 'transport-failed' }
  | { readonly by: 'dialog-lost' }
  | { readonly by: 'no-ack' }
  /** No refresh came in time (RFC 4028 §10). */
  | { readonly by: 'session-expired' };

/** A session description or another body, with its Content-Type. */
export interface Content {
  readonly body: string;
  readonly contentType: string;
}

/**
 * A confirmed INVITE dialog as a machine, the same for caller and callee (RFC 3261 §12.2, §13.3.1.4, §14, §15).
 *
 *   live ──hang-up, dialog lost──▶ ending ──BYE answered or failed──▶ ended
 *    │ ╲──hang-up before ACK, or before the answer to the last NOTIFY──▶ held ──that came, or its limit──▶ ending
 *    ╰──BYE received (every state)──▶ ended
 *
 * The owner gets `end` when the session leaves "live"; only signalling follows.
 */
export interface Session {
  /** Names the session among the forks of one call. */
  readonly id: string;
  readonly phase: 'live' | 'held' | 'ending' | 'ended';
  readonly dialog: Dialog;
  /** Whether we made the Call-ID, which decides the back-off band of §14.1. */
  readonly callIdOwner: boolean;
  readonly timers: TimerDurations;
  readonly repeating: RepeatedAnswer | undefined;
  /** A received re-INVITE, or UPDATE with an offer, that the owner has not answered. */
  readonly theirs: TheirOffer | undefined;
  readonly ours: OurOffer | undefined;
  readonly expiry: SessionExpiry;
  readonly referral: Referral;
  readonly notifying: Notifying | undefined;
  /** An own REFER has no final response, or its subscription goes on. */
  readonly referring: boolean;
  /** Whether the peer's Allow names UPDATE. */
  readonly peerTakesUpdate: boolean;
  /** The description that we sent last, which a refreshing re-INVITE repeats. */
  readonly local: Content | undefined;
}

/** The session timer of RFC 4028. */
export interface SessionExpiry {
  readonly preferred: SessionInterval;
  /** Undefined when the session does not expire. */
  readonly terms: SessionTerms | undefined;
  /** CSeq of an unanswered UPDATE without an offer. */
  readonly refreshing: number | undefined;
}

/** Our 2xx to an INVITE, repeated until its ACK arrives (RFC 3261 §13.3.1.4). */
export interface RepeatedAnswer {
  readonly transaction: string;
  readonly cseq: number;
  readonly interval: number;
  /** The INVITE had no offer, so the ACK carries the answer. */
  readonly delayedOffer: boolean;
}

/** A re-INVITE, UPDATE or PRACK of the peer with its server transaction. */
export interface TheirOffer {
  readonly transaction: string;
  readonly request: SipRequest;
}

/** Our re-INVITE or UPDATE with an offer: sent, or waiting for another attempt after 491. */
export interface OurOffer {
  readonly state: 'sent' | 'backing-off';
  readonly method: OfferMethod;
  readonly cseq: number;
  readonly content: Content;
  /** Refreshes the session; a refusal is not reported to the owner. */
  readonly isRefresh: boolean;
}

/** How an offer travels within a confirmed dialog (RFC 3261 §14, RFC 3311). */
export type OfferMethod = 'INVITE' | 'UPDATE';

/**
 * Timers of a session, in order: repeat the 2xx; its ACK is overdue; retry after glare; our re-INVITE is overdue; the owner's
 * answer to an UPDATE is overdue; refresh the session; the refresh is overdue; a REFER is overdue.
 */
export type SessionTimer =
  | 'repeat'
  | 'no-ack'
  | 'glare'
  | 'offer-limit'
  | 'answer-limit'
  | 'refresh'
  | 'expiry'
  | 'referral';

/** Inputs of the session; `chance` is a fresh random number in [0, 1) for the RFC's random intervals. */
export type SessionInput =
  | {
      readonly type: 'request';
      readonly transaction: string;
      readonly request: SipRequest;
      readonly chance: number;
    }
  | { readonly type: 'ack'; readonly request: SipRequest }
  | { readonly type: 'cancelled'; readonly transaction: string }
  | {
      readonly type: 'response';
      readonly method: string;
      readonly response: SipResponse;
      /** The response is no challenge, or a challenge that cannot be answered (RFC 3261 §22.2). */
      readonly isFinal: boolean;
      readonly chance: number;
    }
  | { readonly type: 'failed'; readonly method: string; readonly failure: 'timeout' | 'transport-failed' }
  | { readonly type: 'timer-fired'; readonly key: SessionTimer }
  | { readonly type: 'hang-up' }
  /** `method` defaults to INVITE; a peer without UPDATE gets a re-INVITE. */
  | { readonly type: 'offer'; readonly content: Content; readonly method?: OfferMethod }
  | { readonly type: 'answer-offer'; readonly content: Content }
  | { readonly type: 'refuse-offer'; readonly status: number }
  | { readonly type: 'send-info'; readonly content: Content }
  | { readonly type: 'send-refer'; readonly uri: string; readonly headers?: HeaderPairs }
  | { readonly type: 'accept-referral' }
  | { readonly type: 'refuse-referral'; readonly status: number; readonly headers?: HeaderPairs }
  /** The status of an accepted REFER: 200 and above are final. */
  | { readonly type: 'report-referral'; readonly status: number; readonly phrase?: string };

/** Events of a session for its owner, besides its end. */
export type SessionEvent =
  | { readonly type: 'offered'; readonly request: SipRequest }
  | { readonly type: 'offer-withdrawn' }
  /** The ACK of our 2xx arrived; its body is the answer when the INVITE carried no offer. */
  | { readonly type: 'acknowledged'; readonly body: string }
  | { readonly type: 'offer-answered'; readonly response: SipResponse }
  | { readonly type: 'offer-refused'; readonly status: number }
  | { readonly type: 'info'; readonly request: SipRequest }
  | { readonly type: 'info-answered'; readonly status: number }
  /** A REFER, to be accepted or refused. */
  | { readonly type: 'referred'; readonly request: SipRequest }
  /** The final response to our REFER. */
  | { readonly type: 'refer-answered'; readonly status: number }
  /** The status of the call that our REFER requested. */
  | { readonly type: 'refer-notified'; readonly status: number; readonly isLast: boolean };

/** Effects of the session. */
export type SessionEffect =
  | {
      readonly do: 'respond';
      readonly transaction: string;
      readonly status: number;
      readonly headers?: HeaderPairs;
      readonly content?: Content;
    }
  /** Sends the 2xx of this server transaction once more. */
  | { readonly do: 'repeat-answer'; readonly session: string; readonly transaction: string }
  /** Starts a client transaction; with `challenge` its credentials are computed first. */
  | {
      readonly do: 'request';
      readonly session: string;
      readonly request: SipRequest;
      /** URI of the next hop; with strict routing neither the Request-URI nor the Route. */
      readonly hop: string;
      readonly challenge?: SipResponse;
    }
  | {
      readonly do: 'ack';
      readonly session: string;
      readonly request: SipRequest;
      readonly hop: string;
      /** The branch of its Via. */
      readonly viaBranch: string;
    }
  /** Destroys the client transaction of our overdue re-INVITE. */
  | { readonly do: 'abandon-offer'; readonly session: string }
  | {
      readonly do: 'start-timer';
      readonly session: string;
      readonly key: SessionTimer;
      readonly at: number;
    }
  | { readonly do: 'cancel-timer'; readonly session: string; readonly key: SessionTimer }
  | { readonly do: 'emit'; readonly event: SessionEvent }
  | { readonly do: 'end'; readonly reason: EndReason };

/** A confirmed dialog after a 2xx that we received; its session timer is set by `agreeOnTerms`. */
export function callerSession(
  id: string,
  dialog: Dialog,
  timers: TimerDurations,
  preferred: SessionInterval = DEFAULT_SESSION_INTERVAL,
): Session {
  return {
    id,
    phase: 'live',
    dialog,
    callIdOwner: true,
    timers,
    repeating: undefined,
    theirs: undefined,
    ours: undefined,
    expiry: { preferred, terms: undefined, refreshing: undefined },
    referral: noReferral,
    notifying: undefined,
    referring: false,
    peerTakesUpdate: false,
    local: undefined,
  };
}

/** A confirmed dialog after a 2xx that we sent, with the timers of its repetition. */
export function calleeSession(
  id: string,
  dialog: Dialog,
  timers: TimerDurations,
  answer: Omit<RepeatedAnswer, 'interval'>,
  now: number,
  preferred?: SessionInterval,
): { state: Session; effects: SessionEffect[] } {
  const bare: Session = { ...callerSession(id, dialog, timers, preferred), callIdOwner: false };
  return repeatAnswer(bare, answer, now);
}

/** Starts the repetition of a 2xx: T1, doubling up to T2, for 64*T1 in all (RFC 3261 §13.3.1.4). */
export function repeatAnswer(
  state: Session,
  answer: Omit<RepeatedAnswer, 'interval'>,
  now: number,
): { state: Session; effects: SessionEffect[] } {
  const { t1 } = state.timers;
  return {
    state: { ...state, repeating: { ...answer, interval: t1 } },
    effects: [
      { do: 'start-timer', session: state.id, key: 'repeat', at: now + t1 },
      { do: 'start-timer', session: state.id, key: 'no-ack', at: now + 64 * t1 },
    ],
  };
}

/** Ends the repetition of the 2xx. */
export function stopRepeating(state: Session, effects: SessionEffect[]): Session {
  if (!state.repeating) return state;
  effects.push(
    { do: 'cancel-timer', session: state.id, key: 'repeat' },
    { do: 'cancel-timer', session: state.id, key: 'no-ack' },
  );
  return { ...state, repeating: undefined };
}

/** Restarts the session timer with the terms of a 2xx, or stops it (RFC 4028 §7.2, §9). */
export function agreeOnTerms(
  state: Session,
  terms: SessionTerms | undefined,
  effects: SessionEffect[],
  now: number,
): Session {
  const session = state.id;
  if (terms === undefined) {
    if (state.expiry.terms !== undefined) stopExpiry(state, effects);
  } else {
    effects.push({ do: 'start-timer', session, key: 'expiry', at: now + expiryDelayMs(terms) });
    if (terms.weRefresh) {
      effects.push({ do: 'start-timer', session, key: 'refresh', at: now + refreshDelayMs(terms) });
    } else if (state.expiry.terms?.weRefresh) {
      effects.push({ do: 'cancel-timer', session, key: 'refresh' });
    }
  }
  return { ...state, expiry: { ...state.expiry, terms, refreshing: undefined } };
}

/** Stops the session timer (RFC 4028). */
export function stopExpiry({ id, expiry }: Session, effects: SessionEffect[]): void {
  effects.push({ do: 'cancel-timer', session: id, key: 'expiry' });
  if (expiry.terms?.weRefresh) effects.push({ do: 'cancel-timer', session: id, key: 'refresh' });
}

/** The session after the peer's Allow, which may name UPDATE; a message without Allow changes nothing. */
export function withPeerMethods(state: Session, message: SipMessage): Session {
  if (!message.headers.has('Allow')) return state;
  const takes = message.headers.all('Allow').includes('UPDATE');
  return takes === state.peerTakesUpdate ? state : { ...state, peerTakesUpdate: takes };
}
