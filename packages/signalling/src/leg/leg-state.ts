import type { AgreedMedia, IceCredentials, LegEnd, OpenedLeg, RefusalStatus } from '@jackfield/ports';
import type { CryptoKey } from '@jackfield/sdp';
import type { SipRequest, SipResponse } from '@jackfield/sip';
import type { EarlyAnswers } from './early-answers.ts';
import type { InviteOffer } from './invite-offer.ts';
import type { LegAudio } from './leg-audio.ts';

/** State of every leg that has not ended. */
interface LiveLeg {
  readonly audio: LegAudio;
  /** Our reason for the end; it takes precedence over the end that the dialog reports. */
  readonly cause?: LegEnd;
}

/** An incoming INVITE without a final response. */
export interface OfferedLeg extends LiveLeg {
  readonly phase: 'offered';
  readonly offer: InviteOffer;
  /** A description in a provisional response is sent reliably (RFC 3262). */
  readonly takesReliable: boolean;
  /**
   * The caller has no credentials: it gets no audio before its ACK proves that it receives at its address, so that no caller can direct
   * audio at a third party.
   */
  readonly isExternal: boolean;
  readonly port: 'closed' | 'opening' | 'open';
  /** The action once the media port is open. */
  readonly requested: 'nothing' | 'early-media' | 'answer';
  /** Our description in a 183; the 200 repeats it (RFC 3261 §13.2.1). */
  readonly early?: string;
}

/** Our 200 was sent; the ACK that starts the audio has not arrived. */
export interface AcceptedLeg extends LiveLeg {
  readonly phase: 'accepted';
}

/** A leg that we dial: its media port is being opened, for the first INVITE or for one without WebRTC. */
export interface PreparingLeg extends LiveLeg {
  readonly phase: 'preparing';
}

/** Our INVITE was sent; `early` means that a phone plays audio before it answers. */
export interface DialledLeg extends LiveLeg {
  readonly phase: 'dialling' | 'early';
  readonly answers: EarlyAnswers;
  /** The leg was hung up: a refused description no longer causes a second INVITE. */
  readonly isHungUp: boolean;
}

/** Audio runs both ways and `leg-answered` was reported. */
export interface AnsweredLeg extends LiveLeg {
  readonly phase: 'answered';
}

/** The end was reported. A port that is still being opened is closed once it is open. */
export interface EndedLeg {
  readonly phase: 'ended';
}

/** A SIP leg between its dialog and its media port. */
export type LegState = OfferedLeg | AcceptedLeg | PreparingLeg | DialledLeg | AnsweredLeg | EndedLeg;

/** The inputs of a leg. */
export type LegInput =
  // Orders of the platform.
  | { readonly type: 'dial'; readonly targets: number; readonly forwardsLeft: number }
  | { readonly type: 'ring' }
  | { readonly type: 'open-early' }
  | { readonly type: 'answer' }
  | { readonly type: 'hang-up'; readonly status: RefusalStatus; readonly completedElsewhere?: boolean }
  // Outcomes of effects.
  | { readonly type: 'port-opened'; readonly opened: OpenedLeg }
  | { readonly type: 'port-failed' }
  | { readonly type: 'keys-drawn'; readonly keys: readonly CryptoKey[] }
  | { readonly type: 'ice-drawn'; readonly ice: IceCredentials }
  /** The INVITE could not be written, for example because a target is not a URI. */
  | { readonly type: 'invite-failed' }
  /** Work for the leg threw: a defect, or an unreachable database. */
  | { readonly type: 'broken' }
  // The dialog.
  | { readonly type: 'provisional'; readonly response: SipResponse }
  | { readonly type: 'accepted-by-peer'; readonly response: SipResponse }
  /** The ACK of our 200, or the PRACK of our offer; `answer` is empty when it has no body. */
  | { readonly type: 'acknowledged'; readonly answer: string }
  /** A re-INVITE, or an UPDATE or PRACK with an offer; an empty body asks us for one. */
  | { readonly type: 'session-offered'; readonly request: SipRequest }
  /** The 2xx to a description that we repeated. */
  | { readonly type: 'session-answered'; readonly response: SipResponse }
  /** `status` is set where a final response refused our INVITE. */
  | { readonly type: 'dialog-ended'; readonly end: LegEnd; readonly status?: number };

/** The effects of the machine. */
export type LegEffect =
  | { readonly do: 'open-port' }
  | { readonly do: 'close-port' }
  | { readonly do: 'connect-media'; readonly agreed: AgreedMedia }
  | { readonly do: 'invite'; readonly offer: string }
  | { readonly do: 'send-provisional'; readonly status: 180 | 183; readonly description?: string }
  | { readonly do: 'accept'; readonly description: string }
  | { readonly do: 'reject'; readonly status: RefusalStatus }
  | { readonly do: 'answer-session'; readonly description: string }
  | { readonly do: 'refuse-session'; readonly status: number }
  /** `completedElsewhere`: a CANCEL says that another phone has answered. */
  | { readonly do: 'hang-up'; readonly completedElsewhere: boolean }
  | { readonly do: 'notify'; readonly notice: 'leg-ringing' | 'leg-early' | 'leg-answered' }
  /** The last effect of a leg: close its port, if it has one, and report the end. */
  | { readonly do: 'finish'; readonly end: LegEnd; readonly hasPort: boolean };
