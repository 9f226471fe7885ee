import type { CarrierRequests } from './carrier-requests.ts';
import type { LegStatistics } from './media-legs.ts';

/**
 * Signalling as the features see it: legs that are offered, ring, are answered and end. No SIP type crosses this port.
 * A leg is named by its call UUID. Each leg reports `ended` exactly once, whatever happens.
 */
export interface Telephony {
  /** The one listener for everything that happens to legs; set once, before the first leg. */
  listen(listener: LegListener): void;
  /** The one listener for keys that phones send as SIP INFO instead of RTP; set once. Where it is absent nobody sends any. */
  listenToKeys?(listener: (key: LegKey) => void): void;
  /**
   * The one listener for transfers that phones ask for; set once. True takes a request on, and the phone is told what
   * `reportTransfer` says; everything else is declined with 603.
   */
  listenToTransfers?(listener: (request: TransferRequest) => boolean): void;
  /** Tells the phone behind a leg the SIP status of the call that its transfer asked for; 200 and above once and last. */
  reportTransfer?(leg: string, status: number): void;
  /** Opens the doors: nothing arrives before, so that whoever listens has put its house in order. */
  open(): Promise<void>;
  /**
   * Sends an INVITE to every given target at once (RFC 3261 forking by the UAC: first 2xx wins, the rest are cancelled).
   * Its media leg is opened first. Failures come back as a `leg-ended` notice, never as an exception.
   */
  dial(request: DialRequest): void;
  /** 180 to an offered leg. */
  ring(leg: string): void;
  /** 183 with our SDP to an offered leg: its caller hears what is played to the leg although nobody has answered. */
  openEarly(leg: string): void;
  /** 200 to an offered leg; its media leg exists when `leg-answered` comes back. */
  answer(leg: string): void;
  /** Ends the leg in whatever state it is: CANCEL, BYE, or a final response with `status` (default 603) to an offered one. */
  hangUp(leg: string, status?: number): void;
  /** Requests to carriers outside of any call; absent where this edge has none. */
  readonly carriers?: CarrierRequests;
}

/** A key of a phone that came with signalling; the same as a `digit` of the media port, which comes as RTP (RFC 4733). */
export interface LegKey {
  readonly leg: string;
  /** One of `0-9*#ABCD`. */
  readonly digit: string;
  readonly durationMs: number;
}

/** A phone asks that another party be called in its place (SIP REFER). */
export interface TransferRequest {
  /** The leg of the phone that asks; whoever it talks with is to be connected. */
  readonly leg: string;
  /** A number or a user of ours, as in `leg-offered`; empty where `replaces` says who is meant. */
  readonly to: string;
  /** Who asks, by its own word: the user of Referred-By. */
  readonly referredBy?: string;
  /** The leg of the same phone whose other party is meant: the one that it talks with there. */
  readonly replaces?: string;
}

/** One outbound leg, with every place where its callee may be reached. */
export interface DialRequest {
  readonly leg: string;
  /**
   * What the callee sees. `user` is a number in E.164, a SIP user, or the SIP URI of a caller elsewhere, whose host registered phones
   * see as well.
   */
  readonly from: { readonly user: string; readonly displayName?: string };
  readonly to: { readonly user: string };
  /** Where to send the INVITE: contact URIs of bindings, or a sandbox phone. At least one. */
  readonly targets: readonly DialTarget[];
  /** Extra headers, already named `X-PH-…`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The longest that the call may last after its answer; then its owner hangs up. For what has to know the worst case. */
  readonly timeLimitSeconds?: number;
  /**
   * The leg for whose sake it is dialled: it may be forwarded as often as that one still may, less once (RFC 7332 §3). Where none is
   * left it ends as rejected with 483 and nothing is sent.
   */
  readonly forwards?: string;
}

/** One place to send an INVITE to. */
export interface DialTarget {
  /** SIP URI of the request line, e.g. `sip:alice@192.0.2.1:5062;ob`. */
  readonly uri: string;
  /** The flow on which the binding was registered, so that a phone behind NAT or on TCP is reached; opaque to features. */
  readonly flow?: string;
  /** Route values that lead there, the nearest proxy first (RFC 3327). */
  readonly path?: readonly string[];
  /** Other flows of the same phone, one tried after the other when this one has failed (RFC 5626 §5.3). */
  readonly otherFlows?: readonly DialTarget[];
  /** Set for a phone that may be called and not call: what it asks for by REFER is refused as its INVITE would be. */
  readonly mayCall?: false;
  /** Whose username and password answer its challenges: the name of a carrier, or of an origination URI; signalling resolves it. */
  readonly account?: string;
  /**
   * The inbound trunk that it belongs to: its customer has named the place, so nothing is sent to addresses that are closed to
   * customers, and with several such targets one is dialled after the other, the next when one fails.
   */
  readonly trunk?: NamedTrunk;
}

/** A trunk and whose it is. */
export interface NamedTrunk {
  readonly trunk: string;
  readonly account: string;
  /** The account itself, or the one whose subaccount it is. */
  readonly mainAccount: string;
}

/** What signalling tells the calls feature. */
export type LegNotice =
  | {
      /**
       * An INVITE arrived; nothing but 100 has been answered. Its sender was authenticated as this endpoint, or is let in for the trunk
       * or carrier that is named, or is an external caller of an endpoint or a public application: `from` is then a SIP URI, unverified.
       */
      readonly type: 'leg-offered';
      readonly leg: string;
      readonly account: string;
      /** Empty where the caller is not one of our endpoints. */
      readonly endpoint: string;
      /** The trunk through which it came, if it did: `from` is then what its telephone system says. */
      readonly trunk?: string;
      /** The carrier that hands the call over, if one does: `to` is then the number that was dialled. */
      readonly carrier?: string;
      /** The answered leg whose place it is to take (RFC 3891); its owner decides, and nobody else is asked. */
      readonly replaces?: string;
      /** The application that its caller's token wants to take the call. */
      readonly application?: string;
      readonly from: string;
      readonly to: string;
      readonly callerName: string;
      readonly sourceAddress: string;
      /** `X-PH-…` of the INVITE, by their full names in the case of docs/interface/calls.md#sip-headers; within limits of number and length. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: 'leg-ringing'; readonly leg: string }
  /**
   * A leg has early media: an offered one after `openEarly`; a dialled one when its phone answers our offer before it answers the call, after
   * `leg-ringing`. Told once, and of no leg that was answered meanwhile.
   */
  | { readonly type: 'leg-early'; readonly leg: string }
  | { readonly type: 'leg-answered'; readonly leg: string }
  | {
      readonly type: 'leg-ended';
      readonly leg: string;
      readonly end: LegEnd;
      /** What its media was like; absent where it never had any. */
      readonly media?: LegStatistics;
    };

/** Why a leg is over, as signalling saw it. */
export interface LegEnd {
  readonly by:
    | 'remote-cancel' // CANCEL, or the caller gave up before an answer
    | 'remote-bye'
    | 'local' // hangUp was asked for
    | 'rejected' // a final response ≥ 300 arrived; `sipStatus` says which
    | 'no-response' // Timer B or F: nothing answered
    | 'no-target' // nothing to send to
    | 'transport-failed'
    | 'media-failed' // no common codec, no port left
    | 'dialog-lost' // 481 or 408 inside the dialog, ACK never came
    | 'not-carried'; // no carrier was asked; `refusal` says why
  readonly sipStatus?: number;
  readonly sipReason?: string;
  /** The carrier through which it went or was to go. */
  readonly carrier?: string;
  readonly refusal?: CarrierRefusal;
}

/** Why no carrier may take a call: a cap of it, a caller whom it does not accept, or no carrier for the number. */
export type CarrierRefusal =
  | 'calls-per-second'
  | 'concurrent-calls'
  | 'spend-per-hour'
  | 'caller-id'
  | 'no-route';

/** Takes the notices of all legs, in the order in which they happened. */
export type LegListener = (notice: LegNotice) => void;
