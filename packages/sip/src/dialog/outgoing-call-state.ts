import type { SipRequest, SipResponse } from '../message/message.ts';
import type { TimerDurations } from '../transaction/timers.ts';
import type { HeaderPairs } from './answers.ts';
import type { Dialog } from './dialog.ts';
import type {
  Content,
  EndReason,
  Session,
  SessionEffect,
  SessionInput,
  SessionTimer,
  TheirOffer,
} from './session-state.ts';

import type { SessionInterval } from './session-timer.ts';

/** One INVITE of the call: to one target, with the forks that proxies made of it. */
export interface InviteBranch {
  readonly phase: 'calling' | 'proceeding' | 'cancel-requested' | 'cancelled' | 'accepted' | 'failed';
  /** The last INVITE; after a final response what is left of it (`decidedInvite`). */
  readonly request: SipRequest;
  /** The early dialogs by To tag (RFC 3261 §12.1.2): a provisional response of each fork creates one. */
  readonly early: ReadonlyMap<string, EarlyDialog>;
  /** How often a 422 raised its session interval. */
  readonly raised: number;
}

/**
 * The caller's side of a call as a machine (RFC 3261 §13.2, §9.1): INVITEs to all targets at once, the first 2xx wins.
 *
 *   calling ──first 2xx──▶ answered ──session ends──▶ ended
 *      ╰──hang-up, all branches failed────────────────▶ ended
 *
 * "ended" means that the owner has the `end` event. Each branch goes on until its final response; a late 2xx gets ACK and BYE. A branch
 * that is cancelled while the call is "calling" was silent: a 2xx may still win, and nothing else of it counts.
 */
export interface OutgoingCall {
  readonly phase: 'calling' | 'answered' | 'ended';
  readonly branches: ReadonlyMap<string, InviteBranch>;
  readonly sessions: ReadonlyMap<string, Session>;
  readonly winner: string | undefined;
  /** The owner has hung up because a phone of another call has answered. */
  readonly completedElsewhere?: boolean | undefined;
  readonly best: EndReason | undefined;
  readonly earlyOffer: EarlyOffer | undefined;
  readonly timers: TimerDurations;
  readonly preferred: SessionInterval;
}

/** Inputs of an outgoing call; `session` inputs are for the dialog that they name. */
export type OutgoingCallInput =
  | {
      readonly type: 'branch-response';
      readonly branch: string;
      readonly response: SipResponse;
      /** The response is no challenge, or a challenge that cannot be answered (RFC 3261 §22.2). */
      readonly isFinal: boolean;
    }
  | {
      readonly type: 'branch-failed';
      readonly branch: string;
      readonly failure: 'timeout' | 'transport-failed';
    }
  | { readonly type: 'authenticated'; readonly branch: string; readonly request: SipRequest }
  /** The target of a branch was silent: `next` has its request for the next address, and the branch is cancelled when it responds. */
  | {
      readonly type: 'next-address';
      readonly branch: string;
      readonly next: string;
      readonly request: SipRequest;
    }
  /** `completedElsewhere`: a phone of another call has answered. */
  | { readonly type: 'hang-up'; readonly completedElsewhere?: boolean | undefined }
  /** The owner answers the offer of a callee before the call is answered, or refuses it with a status. */
  | { readonly type: 'settle-offer'; readonly outcome: Content | number }
  | { readonly type: 'timer-fired'; readonly scope: string; readonly key: CallTimer }
  | {
      readonly type: 'in-dialog';
      readonly remoteTag: string;
      readonly input: SessionInput & { type: 'request' | 'ack' | 'cancelled' };
    }
  | { readonly type: 'session'; readonly session: string; readonly input: SessionInput };

/** Timers of a call: those of its sessions, of its branches, and of ringing. */
export type CallTimer = SessionTimer | 'cancelled' | 'ringing-limit';

/** Effects of an outgoing call; `scope` of a timer is a branch, a session or empty. */
export type OutgoingCallEffect =
  | SessionEffect
  /** `completedElsewhere`: another phone has answered. */
  | { readonly do: 'cancel'; readonly branch: string; readonly completedElsewhere: boolean }
  | { readonly do: 'authenticate'; readonly branch: string; readonly response: SipResponse }
  /** Sends the INVITE again with these headers in place of its own, without credentials. */
  | { readonly do: 'correct'; readonly branch: string; readonly headers: HeaderPairs }
  | { readonly do: 'abandon'; readonly branch: string }
  | { readonly do: 'start-call-timer'; readonly scope: string; readonly key: CallTimer; readonly at: number }
  | { readonly do: 'cancel-call-timer'; readonly scope: string; readonly key: CallTimer }
  | { readonly do: 'emit-call'; readonly event: 'ringing' | 'answered'; readonly response: SipResponse };

/** An early dialog of the caller, made by a provisional response with a To tag (RFC 3261 §12.1.2). */
export interface EarlyDialog {
  readonly dialog: Dialog;
  /** RSeq of the last acknowledged response. */
  readonly rseq: number | undefined;
  /** The description of a reliable response, which answers our offer (RFC 3262 §5); empty while there is none. */
  readonly answer: string;
}

/** An UPDATE with an offer from a callee before its 2xx, while the owner has not answered it; one at a time for all forks. */
export interface EarlyOffer extends TheirOffer {
  /** The dialog that it came in. */
  readonly session: string;
}
