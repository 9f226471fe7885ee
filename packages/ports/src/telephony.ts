import type { CarrierRequests } from './carrier-requests.ts';
import type { LegSpec } from './leg-spec.ts';
import type { LegStatistics } from './media-legs.ts';

/**
 * Signalling as the features see it: legs that are offered, ring, are answered and end. No SIP type crosses this port.
 * A leg is named by its call UUID. Each leg reports `ended` exactly once, whatever happens.
 */
export interface Telephony {
  /** The one listener for everything that happens to legs; set once, before the first leg. */
  listen(listener: LegListener): void;
  /** The one listener for keys that phones send as SIP INFO instead of RTP; set once. Absent if this signalling reports none. */
  listenToKeys?(listener: (key: LegKey) => void): void;
  /** The one listener for reports that phones in pages send about the quality of their calls; set once. Absent if this signalling has none. */
  listenToReports?(listener: (report: LegReport) => void): void;
  /**
   * The one listener for transfers that phones request; set once. True accepts a request, and `reportTransfer` then notifies
   * the phone; false declines it with 603.
   */
  listenToTransfers?(listener: (request: TransferRequest) => boolean | Promise<boolean>): void;
  /** Reports the SIP status of the transferred call to the phone that requested it; 200 and above once and last. */
  reportTransfer?(leg: string, status: number): void;
  /** The leg that `replacesAt` of a request at another node names; undefined without one. Absent if this edge has no other nodes. */
  legOf?(dialog: string): string | undefined;
  /** Starts to accept requests. None arrives before, so that every listener is set. */
  open(): Promise<void>;
  /**
   * Sends an INVITE to every given target at once (RFC 3261 forking by the UAC: first 2xx wins, the rest are cancelled).
   * Its media leg is opened first. Failures come back as a `leg-ended` notice, never as an exception.
   */
  dial(request: DialRequest): void;
  /** 180 to an offered leg. */
  ring(leg: string): void;
  /** 183 with our SDP to an offered leg: its caller hears what is played to the leg before an answer. */
  openEarly(leg: string): void;
  /** 200 to an offered leg; its media leg exists when `leg-answered` comes back. */
  answer(leg: string): void;
  /**
   * Ends the leg in any state: CANCEL, BYE, or a final response with `status` (default 603) to an offered one. With `completedElsewhere`
   * the CANCEL says that another phone has answered, so that this one shows no missed call.
   */
  hangUp(leg: string, status?: RefusalStatus, completedElsewhere?: boolean): void;
  /** Hangs up a leg whose own process has died, with the `dialog` of its answer; nothing is reported. Absent if this edge cannot. */
  endDialog?(dialog: string): void;
  /**
   * Hangs up every leg; resolves when no request to a phone waits for its answer, or after this time.
   * Absent if this edge cannot.
   */
  hangUpAll?(limitMs: number): Promise<void>;
  /** Requests to carriers outside of any call; absent if this edge has none. */
  readonly carriers?: CarrierRequests;
}

/** The final response that refuses an offered leg. `unavailable` is 503 with Retry-After: the caller may try again, here or elsewhere. */
export type RefusalStatus = number | 'unavailable';

/** A key that a phone sent in signalling; the counterpart of the media port's `digit`, which comes as RTP (RFC 4733). */
export interface LegKey {
  readonly leg: string;
  /** One of `0-9*#ABCD`. */
  readonly digit: string;
  readonly durationMs: number;
}

/** The body of a phone's report about the quality of its call, unverified: at most 16,384 characters. */
export interface LegReport {
  readonly leg: string;
  readonly body: string;
}

/** A phone requests that another party take over its call (SIP REFER). */
export interface TransferRequest {
  /** The leg of the requesting phone, whose peer is to be connected. */
  readonly leg: string;
  /** A number or a user of the domain, as in `leg-offered`; empty if `replaces` identifies the target. */
  readonly to: string;
  /** The number or user of Referred-By, unverified. */
  readonly referredBy?: string;
  /** Another leg of the same phone, whose peer is the transfer target. */
  readonly replaces?: string;
  /** The same where that leg lives at another node; `legOf` of that node reads the dialog. */
  readonly replacesAt?: { readonly node: string; readonly dialog: string };
}

/** One outbound leg, with every target of its callee. */
export interface DialRequest {
  readonly leg: string;
  readonly spec: LegSpec;
  /** The number or the SIP user to which `spec.to` leads. */
  readonly callee: string;
  /** Targets of the INVITE: contact URIs of bindings, or a sandbox phone. At least one. */
  readonly targets: readonly DialTarget[];
  /** The caller that these targets see instead of `spec.from`. */
  readonly caller?: string;
  /** The display name that these targets see instead of `spec.callerName`. */
  readonly callerName?: string;
  /**
   * The leg that caused this one. The INVITE carries its Max-Forwards less one (RFC 7332 §3). With none left the leg ends as
   * rejected with 483 and nothing is sent.
   */
  readonly forwards?: string;
  /** A leg or a mix that this leg will hear: their media are placed together. */
  readonly beside?: string;
}

/** One target of an INVITE. */
export interface DialTarget {
  /** SIP URI of the request line, e.g. `sip:alice@192.0.2.1:5062;ob`. */
  readonly uri: string;
  /** The flow on which the binding was registered, so that a phone behind NAT or on TCP is reached; opaque to features. */
  readonly flow?: string;
  /** Route values towards the target, the nearest proxy first (RFC 3327). */
  readonly path?: readonly string[];
  /** Other flows of the same phone, tried one after another when this one has failed (RFC 5626 §5.3). */
  readonly otherFlows?: readonly DialTarget[];
  /** The registered phone: its dialog follows it when it registers over another flow. */
  readonly phone?: { readonly endpoint: string; readonly instance?: string };
  /** Set for a phone that may receive calls and not make them: its REFER is refused as its INVITE is. */
  readonly mayCall?: false;
  /** The carrier or origination URI whose username and password answer challenges; signalling resolves the name. */
  readonly account?: string;
  /**
   * The inbound trunk of the target. A customer chose its address, so nothing is sent to addresses closed to customers. Several
   * such targets are dialled one after another.
   */
  readonly trunk?: NamedTrunk;
}

/** A trunk and its accounts. */
export interface NamedTrunk {
  readonly trunk: string;
  readonly account: string;
  /** The account itself, or the parent of a subaccount. */
  readonly mainAccount: string;
}

/** Events of legs, from signalling to the calls feature. */
export type LegNotice =
  | {
      /**
       * An INVITE arrived and only 100 was sent. Its sender was authenticated as this endpoint, or admitted for the named trunk or
       * carrier, or is an external caller of an endpoint or a public application: `from` is then a SIP URI, unverified.
       */
      readonly type: 'leg-offered';
      readonly leg: string;
      readonly account: string;
      /** Empty if the caller is not one of our endpoints. */
      readonly endpoint: string;
      /** The trunk of the call, if any: `from` is then the claim of its telephone system. */
      readonly trunk?: string;
      /** The carrier of the call, if any: `to` is then the dialled number. */
      readonly carrier?: string;
      /** The answered leg that it is to replace (RFC 3891); the owner of that leg alone decides. */
      readonly replaces?: string;
      /** The application that the caller's token requests for the call. */
      readonly application?: string;
      readonly from: string;
      readonly to: string;
      readonly callerName: string;
      readonly sourceAddress: string;
      /** `X-PH-…` of the INVITE, by their full names in the case of docs/interface/calls.md#sip-headers, within limits of number and length. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: 'leg-ringing'; readonly leg: string }
  /**
   * A leg has early media: an offered one after `openEarly`; a dialled one when its phone answers our offer before the call, after
   * `leg-ringing`. Emitted once, and not for a leg that was answered meanwhile.
   */
  | { readonly type: 'leg-early'; readonly leg: string }
  | {
      readonly type: 'leg-answered';
      readonly leg: string;
      /** In a cluster: what `endDialog` of another process needs when this one dies. Opaque to features. */
      readonly dialog?: string;
    }
  | {
      readonly type: 'leg-ended';
      readonly leg: string;
      readonly end: LegEnd;
      /** Statistics of its media; absent if it never had any. */
      readonly media?: LegStatistics;
    };

/** Why a leg ended, as signalling saw it. */
export interface LegEnd {
  readonly by:
    | 'remote-cancel' // CANCEL, or the caller gave up before an answer
    | 'remote-bye'
    | 'local' // hangUp was called
    | 'rejected' // a final response ≥ 300 arrived, with `sipStatus`
    | 'no-response' // Timer B or F: nothing answered
    | 'no-target' // nothing to send to
    | 'transport-failed'
    | 'media-failed' // no common codec, no port left
    | 'dialog-lost' // 481 or 408 inside the dialog, ACK never came
    | 'not-carried'; // no carrier was called, because of `refusal`
  readonly sipStatus?: number;
  readonly sipReason?: string;
  /** Of a 503: for so long its server accepts no other request. */
  readonly retryAfterSeconds?: number;
  /** The carrier of the leg, used or intended. */
  readonly carrier?: string;
  readonly refusal?: CarrierRefusal;
}

/** Why no carrier may serve a call: a cap, a caller number that the carrier does not accept, or no carrier for the number. */
export type CarrierRefusal =
  | 'calls-per-second'
  | 'concurrent-calls'
  | 'spend-per-hour'
  | 'caller-id'
  | 'no-route';

/** Receives the notices of all legs, in the order of the events. */
export type LegListener = (notice: LegNotice) => void;
