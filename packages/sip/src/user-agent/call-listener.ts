import type { HeaderPairs } from '../dialog/answers.ts';
import type { Content, EndReason, OfferMethod } from '../dialog/session-state.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';

/** What the owner of a leg hears of it. Everything is optional; `ended` comes exactly once and last. */
export interface CallListener {
  /**
   * A provisional response above 100 to our INVITE, one that repeats another left out. Its body may be the answer of the fork that its To
   * tag names; after a reliable one the body is empty (RFC 3262 §5).
   */
  ringing?(response: SipResponse): void;
  /** The first 2xx to our INVITE; its body is the answer. Its ACK has been sent. */
  answered?(response: SipResponse): void;
  /** The ACK of our 2xx, or the PRACK of an offer in a provisional response; its body is the answer when the INVITE carried no offer. */
  acknowledged?(body: string): void;
  /** A re-INVITE, or an UPDATE or PRACK with an offer: answer it with `answerOffer` or `refuseOffer`. An empty body asks for an offer. */
  offered?(request: SipRequest): void;
  /** The peer cancelled its re-INVITE. */
  offerWithdrawn?(): void;
  /** The 2xx to our re-INVITE or UPDATE, also to one that only kept the session alive. */
  offerAnswered?(response: SipResponse): void;
  /** Our re-INVITE failed and the session goes on as before; 491 when one of ours or theirs is in progress. */
  offerRefused?(status: number): void;
  /** An INFO within the dialog; it has been answered with 200. */
  info?(request: SipRequest): void;
  /** A REFER within the call: answer it with `acceptReferral` or `refuseReferral`. Without this listener it is refused with 603. */
  referred?(request: SipRequest): void;
  /** The final status of our INFO. */
  infoAnswered?(status: number): void;
  ended?(reason: EndReason): void;
}

/** A dialog by its identifiers: what a Replaces header holds, its to-tag being our tag. */
export interface DialogName {
  readonly callId: string;
  readonly localTag: string;
  readonly remoteTag: string;
}

/** A leg in the hands of its owner. Orders that come too late, or at the wrong time, are ignored. */
export interface Call {
  readonly callId: string;
  /** Of a call of ours that was answered: the place of its phone among the targets of the INVITE. */
  readonly answeredBy: number | undefined;
  /** Ends the leg in whatever state it is: CANCEL, BYE, or 603 to an unanswered INVITE. */
  hangUp(): void;
  /** Sends a re-INVITE, or an UPDATE to a peer that takes it, with this offer; its outcome is `offerAnswered` or `offerRefused`. */
  offer(content: Content, method?: OfferMethod): void;
  /** Accepts the peer's re-INVITE. */
  answerOffer(content: Content): void;
  /** Refuses the peer's re-INVITE, with 488 unless told. */
  refuseOffer(status?: number): void;
  /** Sends INFO within the dialog, such as a digit. */
  sendInfo(content: Content): void;
  /** Takes the peer's REFER on: 202 and a NOTIFY of 100; `reportReferral` says the rest. */
  acceptReferral(): void;
  /** Refuses the peer's REFER, with 603 unless told; `headers` say why. */
  refuseReferral(status?: number, headers?: HeaderPairs): void;
  /** Tells the peer the status of the call that its REFER asked for, 200 and above once and last. */
  reportReferral(status: number): void;
  /** Whether the leg is this dialog, as the other side of a Replaces header names it (RFC 3891 §3). */
  isDialog(name: DialogName): boolean;
}

/** Fields of a response beyond those that the stack sets. */
export interface AnswerFields {
  readonly headers?: HeaderPairs;
  readonly content?: Content;
}

/** An INVITE outside any dialog, with nothing answered yet but, after 200 ms, 100 (Trying). */
export interface IncomingInvite extends Call {
  readonly request: SipRequest;
  /** The flow on which it arrived. */
  readonly flow: string;
  readonly sourceAddress: string;
  /** Whether a description in a provisional response is sent reliably, and may be an offer (RFC 3262). */
  readonly takesReliable: boolean;
  /**
   * Whoever sent it has shown who it is. Until then, where the user agent has a guard, over UDP it gets one response at most, and
   * none that is larger than the INVITE.
   */
  trust(): void;
  /**
   * Requests of ours in its dialog go to addresses that `reaches` allows alone, wherever Contact and Record-Route lead; else back on the flow
   * of the INVITE. Without it they go anywhere.
   */
  confine(reaches: (address: string) => boolean): void;
  /** Whoever owns the leg from now on; when it has ended already, `ended` is called at once. */
  listen(listener: CallListener): void;
  /** Sends 180, or another 101–199, reliably when it describes and the caller takes that; it is repeated every minute. */
  ring(status?: number, fields?: AnswerFields): void;
  /** Sends 200 with the answer, or with an offer when the INVITE carried none. */
  accept(content: Content, headers?: HeaderPairs): void;
  /** Sends a final response of 300 or above; 401 and 407 with their challenge among the headers. */
  reject(status: number, fields?: AnswerFields): void;
}
