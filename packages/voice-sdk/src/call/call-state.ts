/** The state of a call that an application sees. */
export type CallPhase = 'incoming' | 'calling' | 'ringing' | 'active' | 'reconnecting' | 'ended';

/** Why a call ended. */
export interface CallEnd {
  readonly by:
    | 'local'
    | 'remote'
    /** The other side refused the call; `status` says how. */
    | 'rejected'
    /** The caller gave up before the answer, or no phone answered. */
    | 'cancelled'
    /** No microphone, or no agreement on audio. */
    | 'media-failed'
    | 'connection-lost';
  readonly status?: number;
  readonly reason?: string;
}

/** Timers of a call, in order: a restart of ICE; another one; the end of all attempts; a sample of its quality; the next digit by INFO. */
export type CallTimer = 'restart' | 'restart-again' | 'give-up' | 'sample' | 'digit';

/** What the descriptions of both sides agree on; `restarts` counts the restarts of ICE. */
export interface Agreement {
  readonly isHeld: boolean;
  readonly restarts: number;
}

/**
 * A call of this phone. Its dialog belongs to the SIP stack and its audio to the browser; this machine says what both do next.
 *
 *   calling ──▶ ringing ──▶ talking ──hang-up, BYE, connection lost──▶ ended
 *   incoming ──accept──▶ accepting ──▶ talking
 */
export interface CallState {
  readonly phase: 'preparing' | 'calling' | 'ringing' | 'incoming' | 'accepting' | 'talking' | 'ended';
  readonly isIncoming: boolean;
  /** The caller's offer; empty when our answer is the offer. */
  readonly offer: string;
  /** The browser has the other side's answer, or its offer. */
  readonly isAgreed: boolean;
  readonly isMuted: boolean;
  /** The other side holds the call. */
  readonly isHeldByPeer: boolean;
  /** What the application and the network request, beside what is agreed on. */
  readonly requested: Agreement;
  readonly agreed: Agreement;
  /** Our offer in progress; with `isSent` it waits for its answer. */
  readonly ours: (Agreement & { readonly isSent: boolean }) | undefined;
  /** The offer of the other side that the browser works on. */
  readonly isAnswering: boolean;
  readonly isSignalling: boolean;
  readonly isConnected: boolean;
  /** The application knows that the call reconnects. */
  readonly isReconnecting: boolean;
  /** Digits that wait for INFO. */
  readonly digits: string;
  readonly isSendingDigit: boolean;
}

/** Inputs of a call. */
export type CallInput =
  /** Orders of the application. */
  | { readonly type: 'start' }
  | { readonly type: 'accept' }
  | { readonly type: 'reject'; readonly status: number }
  /** The caller goes on hearing that it rings. */
  | { readonly type: 'ignore' }
  | { readonly type: 'hang-up' }
  | { readonly type: 'mute'; readonly isMuted: boolean }
  | { readonly type: 'hold'; readonly isHeld: boolean }
  /** `byMedia`: the browser sends them as RFC 4733 events. */
  | { readonly type: 'digits'; readonly digits: string; readonly byMedia: boolean }
  | { readonly type: 'transfer'; readonly uri: string }
  /** From the browser. */
  | { readonly type: 'described'; readonly sdp: string }
  | { readonly type: 'media-failed'; readonly sentence: string }
  | { readonly type: 'connection'; readonly state: 'connected' | 'disconnected' | 'failed' }
  /** From the dialog. */
  | { readonly type: 'provisional'; readonly answer: string }
  | { readonly type: 'answered'; readonly answer: string }
  | { readonly type: 'acknowledged'; readonly answer: string }
  | { readonly type: 'offered'; readonly offer: string }
  | { readonly type: 'offer-answered'; readonly answer: string }
  | { readonly type: 'offer-refused'; readonly status: number }
  | { readonly type: 'info-answered' }
  | { readonly type: 'dialog-ended'; readonly end: CallEnd }
  /** From the phone. */
  | { readonly type: 'signalling'; readonly isUp: boolean }
  | { readonly type: 'timer-fired'; readonly key: CallTimer };

/** Events of a call for the application. */
export type CallEvent =
  | { readonly type: 'ringing' }
  | { readonly type: 'accepted' }
  /** The audio has a path to the server, also after a loss. */
  | { readonly type: 'connected' }
  | { readonly type: 'reconnecting' }
  | { readonly type: 'reconnected' }
  | { readonly type: 'muted'; readonly isMuted: boolean }
  /** `by` says who holds or resumes the call. */
  | { readonly type: 'held'; readonly isHeld: boolean; readonly by: 'local' | 'remote' }
  | { readonly type: 'hold-failed'; readonly status: number }
  | { readonly type: 'digit'; readonly digit: string }
  | { readonly type: 'ended'; readonly end: CallEnd };

/** Orders of a call. */
export type CallEffect =
  /** The browser describes our side; `offer` is what it answers, undefined for an own offer. */
  | {
      readonly do: 'describe';
      readonly offer?: string;
      readonly isHeld: boolean;
      readonly restartsIce: boolean;
    }
  | { readonly do: 'apply-answer'; readonly answer: string; readonly isEarly: boolean }
  /** The browser returns to the state before our offer. */
  | { readonly do: 'roll-back' }
  | { readonly do: 'close-media' }
  /** The microphone is silent while the call is muted or held. */
  | { readonly do: 'silence'; readonly isSilent: boolean }
  | { readonly do: 'insert-digits'; readonly digits: string }
  | { readonly do: 'invite'; readonly sdp: string }
  | { readonly do: 'send-answer'; readonly sdp: string }
  | { readonly do: 'send-rejection'; readonly status: number }
  | { readonly do: 'send-bye' }
  | { readonly do: 'send-offer'; readonly sdp: string }
  | { readonly do: 'answer-offer'; readonly sdp: string }
  | { readonly do: 'refuse-offer'; readonly status: number }
  | { readonly do: 'send-digit'; readonly digit: string }
  | { readonly do: 'send-refer'; readonly uri: string }
  | { readonly do: 'sample-quality' }
  | { readonly do: 'start-timer'; readonly key: CallTimer; readonly at: number }
  | { readonly do: 'stop-timer'; readonly key: CallTimer }
  | { readonly do: 'stop-timers' }
  | { readonly do: 'emit'; readonly event: CallEvent };

/** A call before its first input. */
export function newCall(isIncoming: boolean, offer = ''): CallState {
  return {
    phase: isIncoming ? 'incoming' : 'preparing',
    isIncoming,
    offer,
    isAgreed: false,
    isMuted: false,
    isHeldByPeer: false,
    requested: { isHeld: false, restarts: 0 },
    agreed: { isHeld: false, restarts: 0 },
    ours: undefined,
    isAnswering: false,
    isSignalling: true,
    isConnected: false,
    isReconnecting: false,
    digits: '',
    isSendingDigit: false,
  };
}

/** The state for the application. */
export function phaseOf({ phase, isReconnecting }: CallState): CallPhase {
  if (phase === 'preparing') return 'calling';
  if (phase === 'talking') return isReconnecting ? 'reconnecting' : 'active';
  return phase === 'accepting' ? 'incoming' : phase;
}
