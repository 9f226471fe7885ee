import type { HeaderPairs } from '../dialog/answers.ts';
import type { Dialog } from '../dialog/dialog.ts';
import type { Content, EndReason, OfferMethod } from '../dialog/session-state.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import type { HostTarget } from './send-target.ts';

/** Events of a leg for its owner. All are optional; `ended` comes exactly once and last. */
export interface CallListener {
  /**
   * A provisional response above 100 to our INVITE, without repetitions. Its body may be the answer of the fork with its To tag;
   * after a reliable answer the body is empty (RFC 3262 §5).
   */
  ringing?(response: SipResponse): void;
  /** The first 2xx to our INVITE; its body is the answer. Its ACK has been sent. */
  answered?(response: SipResponse): void;
  /** The ACK of our 2xx, or the PRACK of an offer in a provisional response; its body is the answer when the INVITE carried no offer. */
  acknowledged?(body: string): void;
  /** A re-INVITE, or an UPDATE or PRACK with an offer: answer it with `answerOffer` or `refuseOffer`. An empty body requests an offer. */
  offered?(request: SipRequest): void;
  /** The peer cancelled its re-INVITE. */
  offerWithdrawn?(): void;
  /** The 2xx to our re-INVITE or UPDATE, also to a refresh of the session. */
  offerAnswered?(response: SipResponse): void;
  /** Our re-INVITE failed and the session goes on as before; 491 while another one of either side is in progress. */
  offerRefused?(status: number): void;
  /** An INFO within the dialog, already answered with 200. */
  info?(request: SipRequest): void;
  /** A REFER within the call: answer it with `acceptReferral` or `refuseReferral`. Without this listener it is refused with 603. */
  referred?(request: SipRequest): void;
  /** The final status of our REFER; after a 2xx `referNotified` reports its progress, unless the peer sends no NOTIFY. */
  referAnswered?(status: number): void;
  /** The status of the call that our REFER requested; no other one follows the last. */
  referNotified?(status: number, isLast: boolean): void;
  /** The final status of our INFO. */
  infoAnswered?(status: number): void;
  ended?(reason: EndReason): void;
}

/** The identifiers of a dialog, as in a Replaces header, whose to-tag is our tag. */
export interface DialogName {
  readonly callId: string;
  readonly localTag: string;
  readonly remoteTag: string;
}

/** Plain data with which another process ends the dialog when this one has died (`UserAgent.endDialog`). */
export interface DialogSnapshot {
  readonly dialog: Dialog;
  /** The flow of requests to the peer, if it has one. */
  readonly flow?: string;
  /** The address of the INVITE, which was verified as a domain over TLS. */
  readonly verified?: HostTarget;
  /** No other way leads to the peer (RFC 7118 §5): requests wait until one of `phones` has registered again. */
  readonly hasFlowAlone: boolean;
  /** Names of the phone at the other end. */
  readonly phones: readonly string[];
  /** An outsider chose the peer's addresses, so requests go only to allowed ones. */
  readonly isConfined: boolean;
}

/** A leg for its owner. Commands that come too late, or at the wrong time, are ignored. */
export interface Call {
  readonly callId: string;
  /** Of an answered outgoing call: the index of the answering phone among the targets of the INVITE. */
  readonly answeredBy: number | undefined;
  /** Ends the leg in any state: CANCEL, BYE, or 603 to an unanswered INVITE. */
  hangUp(): void;
  /** Sends a re-INVITE, or an UPDATE if the peer allows it, with this offer; its outcome is `offerAnswered` or `offerRefused`. */
  offer(content: Content, method?: OfferMethod): void;
  /** Accepts the peer's re-INVITE. */
  answerOffer(content: Content): void;
  /** Refuses the peer's re-INVITE; the default status is 488. */
  refuseOffer(status?: number): void;
  /** Sends INFO within the dialog, such as a digit. */
  sendInfo(content: Content): void;
  /** Sends REFER: the peer calls `uri` (RFC 3515); the outcome is `referAnswered`. */
  refer(uri: string, headers?: HeaderPairs): void;
  /** Accepts the peer's REFER: 202 and a NOTIFY of 100; `reportReferral` sends the later statuses. */
  acceptReferral(): void;
  /** Refuses the peer's REFER; the default status is 603, and `headers` may carry the reason. */
  refuseReferral(status?: number, headers?: HeaderPairs): void;
  /** Reports the status of the referred call to the peer, 200 and above once and last. */
  reportReferral(status: number): void;
  /** Whether the leg is the dialog that a Replaces header identifies (RFC 3891 §3). */
  isDialog(name: DialogName): boolean;
  /** The confirmed dialog as it is now; undefined before the answer and after the end. */
  snapshot(): DialogSnapshot | undefined;
}

/** An outgoing call. */
export interface DialledCall extends Call {
  /** Ends the leg in any state; `completedElsewhere`: its CANCEL says that a phone of another call has answered (RFC 3326). */
  hangUp(completedElsewhere?: boolean): void;
  /**
   * Calls the next address of its target (RFC 3263 §4.3) if the present one has not responded to the INVITE for `silentMs`, and cancels the
   * present one when it responds. Returns until when the present or next address may be silent; undefined where none is left, or the
   * present one has responded.
   */
  nextAddress(silentMs: number): number | undefined;
}

/** Fields of a response beyond those that the stack sets. */
export interface AnswerFields {
  readonly headers?: HeaderPairs;
  readonly content?: Content;
}

/** An unanswered INVITE outside any dialog; after 200 ms the stack sends 100 (Trying). */
export interface IncomingInvite extends Call {
  readonly request: SipRequest;
  /** The flow on which it arrived. */
  readonly flow: string;
  readonly sourceAddress: string;
  /** Whether a description in a provisional response is sent reliably, and may be an offer (RFC 3262). */
  readonly takesReliable: boolean;
  /**
   * Marks the sender as authenticated. Until then a user agent with a guard sends one response at most over UDP, never larger than
   * the INVITE.
   */
  trust(): void;
  /** Names the phone: our requests in its dialog follow it when `phoneReturned` names one of them. */
  identify(phone: readonly string[]): void;
  /**
   * Confines our requests in its dialog to addresses that `reaches` allows, whatever Contact and Record-Route name; others go back on
   * the flow of the INVITE. Without it they go to any address.
   */
  confine(reaches: (address: string) => boolean): void;
  /** Sets the owner of the leg; if the leg has ended, `ended` is called at once. */
  listen(listener: CallListener): void;
  /** Sends 180, or another 101–199, and repeats it every minute; reliable if it has a description and the caller supports that. */
  ring(status?: number, fields?: AnswerFields): void;
  /** Sends 200 with the answer, or with an offer when the INVITE carried none. */
  accept(content: Content, headers?: HeaderPairs): void;
  /** Sends a final response of 300 or above; `fields` of 401 and 407 carry the challenge. */
  reject(status: number, fields?: AnswerFields): void;
}
