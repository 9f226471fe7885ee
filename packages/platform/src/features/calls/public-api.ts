import type { CallEnd, LegSpec, MachineDetection } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import type { Rate } from '../usage/index.ts';
import type { LegCallbacks, LegOwner } from './domain/leg-owner.ts';
import type { ReportOrphan } from './legs/orphaned-legs.ts';

/**
 * The public API of the calls feature for owners of legs: a multiparty call, a direct call, a running document. An owner is
 * named by kind and id and gets notices of its legs, after the leg's own record was committed.
 */
export interface Calls {
  /**
   * Each kind of owner registers once. An owner that joins two legs also gives its conversations, for phones that transfer their
   * call. No other owner gets the legs of a `private` kind, see `LiveLeg.isPrivate`. `whenHandled` resolves when an owner has handled
   * its notices, for an owner whose steps wait for commits.
   */
  ownedBy(
    kind: string,
    notify: (owner: string, notice: OwnedLegNotice) => void,
    own?: Conversations | 'private',
    whenHandled?: (owner: string) => Promise<void>,
  ): void;
  /**
   * Registers a taker of incoming calls. Each offered leg is offered to the takers in the order of registration; without a taker it
   * becomes a direct call. The leg is recorded before; its owner gets the end even when it comes before the taker's answer.
   */
  offeredTo(taker: (offer: LegOffer) => Promise<TakenOffer | undefined>): void;
  /** Registers the feature of Dials: it gives the event that a Dial owes for a leg whose process has died. */
  orphansReportedBy(report: ReportOrphan): void;
  /** Registers a feature that keeps calls which are to be dialled later; `DELETE Request/` cancels these too. */
  dialledLaterBy(feature: LaterCalls): void;
  /**
   * Records an outbound leg and dials it. Every failure (no such destination, not registered, busy, no answer) arrives as
   * `leg-ended`; the promise resolves when the record is durable.
   */
  dial(leg: OutboundLeg): Promise<void>;
  /** The rate of a leg that is dialled to this destination. */
  rateOfDialled(to: string): Rate;
  /** 180 to the caller of an offered leg. */
  ring(leg: string): void;
  /** 183 with early media to the caller of an offered leg; `leg-early` comes back. */
  openEarly(leg: string): void;
  /** Answers an offered leg; `leg-answered` comes back. */
  answer(leg: string): void;
  /** Ends a leg with a cause of the platform; no effect on an ended leg. */
  hangUp(leg: string, end: CallEnd): void;
  /**
   * Gives the leg to another owner for good: the owner before (and a borrower) gets `leg-taken` as its last notice. The new owner gets
   * every notice from then on, `leg-given` first. Resolves when both owners before have handled theirs, so that none of their orders to
   * the media engine follows. False when the leg has ended or is private.
   */
  take(leg: string, owner: LegOwner): Promise<boolean>;
  /**
   * Lends the leg: the borrower gets digits, voice and the end; the owner gets the end alone, until the leg is given back
   * (`leg-returned` with the borrower's fields) or taken. False when the leg has ended, is lent already or is private.
   */
  lend(leg: string, borrower: LegOwner): Promise<boolean>;
  giveBack(leg: string, borrower: LegOwner, fields: Readonly<Record<string, string>>): void;
  /** Lets an inbound leg last for at least so many seconds more; an outbound one keeps its limit, which its carrier has reserved. */
  extend(leg: string, seconds: number): void;
  /** The present state of a leg; undefined for an ended or unknown leg. */
  peek(leg: string): LiveLeg | undefined;
  /** Resolves when the notices of signalling that have arrived are recorded: `peek` shows an answer that a phone knows of already. */
  whenRecorded(leg: string): Promise<void>;
  /** The incarnation in which a live call lives that the account sees, as its record says; undefined without one. */
  homeOf(viewer: CallViewer, call: string): Promise<number | undefined>;
  /**
   * The other leg of the conversation: the leg for which this leg was dialled, or the live leg that was dialled for it (an answered
   * leg before others, the latest before the first). Undefined without one.
   */
  partnerOf(leg: string): string | undefined;
  /** Calls `listener` for every leg that is answered, before its owner gets the notice. */
  whenAnswered(listener: (leg: string) => void): void;
  /**
   * Calls `listener` once for every leg that is over, whatever its owner, when `peek` gives it no more: for features that act on any leg.
   * Also for an incoming leg that could not be recorded, which `peek` never gave.
   */
  whenOver(listener: (leg: string) => void): void;
  /** The parameters of every request about a call (docs/interface/calls.md#request-parameters), without `Event`. */
  parametersOf(leg: LiveLeg): Readonly<Record<string, string>>;
}

export type { LegCallbacks, LegOwner };

/** Conversations of two legs, by their owner. */
export interface Conversations {
  /** The leg that this leg talks with now; undefined without one. */
  partnerOf(owner: string, leg: string): string | undefined;
  /**
   * What the phone of `leg` may do when it leaves: another leg may replace it (`replaceable`; `bound` when the owner continues with the
   * other leg, which should stay), or the owner can only release both of its legs (`releasable`). Undefined when neither is possible,
   * for example during a transfer.
   */
  departureOf(owner: string, leg: string): 'bound' | 'replaceable' | 'releasable' | undefined;
  /**
   * Announces that another leg replaces one as soon as it is answered or given to this owner; then the replaced leg is hung up. When
   * the successor ends before, nothing changes. False when the leg cannot be replaced any more: the owner ignores the successor then.
   */
  succeed(owner: string, successor: Successor): Promise<boolean>;
  /** Ends what runs on the legs without a hangup, for an owner that takes both at once; false when nothing runs. */
  release(owner: string): Promise<boolean>;
}

/** A leg that is to replace another one, with the two parties of its record. */
export interface Successor {
  readonly leg: string;
  readonly replaces: string;
  readonly from: string;
  readonly to: string;
}

/** The account of a request: a main account sees the calls of its subaccounts as its own. */
type CallViewer = Pick<RequestAccount, 'authId' | 'isSubaccount'>;

/** Requested calls that have no record yet. */
export interface LaterCalls {
  /** The incarnation in which calls of the request wait that the account sees; undefined without any. */
  homeOf(viewer: CallViewer, requestUuid: string): Promise<number | undefined>;
  /** Cancels them, with those of the request that are being dialled; false where none waits. */
  cancel(viewer: CallViewer, requestUuid: string): Promise<boolean>;
}

/** The account whose application answers a call. */
export interface AnsweringAccount {
  readonly account: string;
  readonly application: string;
  readonly isActive: boolean;
}

/** A phone has placed a call; only 100 has been sent. */
export interface LegOffer {
  readonly leg: string;
  readonly account: string;
  readonly mainAccount: string;
  /** Empty for a caller that is no endpoint, for example through a trunk. */
  readonly endpoint: string;
  /** The trunk through which it came. */
  readonly trunk?: string;
  /** The carrier that hands it over. */
  readonly carrier?: string;
  /** The application that answers it, or that its caller's token names. */
  readonly application?: string;
  readonly from: string;
  readonly to: string;
  readonly callerName: string;
  /** `X-PH-…` by their full names. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface TakenOffer {
  readonly owner: LegOwner;
  readonly callbacks?: LegCallbacks;
  readonly timeLimitSeconds?: number;
}

export interface OutboundLeg {
  /** Call UUID, chosen by the caller so that the API can name it before it rings. */
  readonly leg: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly owner: LegOwner;
  readonly spec: LegSpec;
  /** The leg for which this one is dialled. */
  readonly parentLeg?: string;
  readonly requestUuid?: string;
  readonly callbacks?: LegCallbacks;
  /**
   * A request of the account begins the call: it is refused where the account was deleted meanwhile. Any other leg belongs to what lives, and
   * to the main account then.
   */
  readonly isRequested?: boolean;
  /**
   * A client knows the call already. While the database is away it waits, for its ring timeout at most; where it cannot be recorded at all,
   * its `hangup` callback is sent. Then `dial` rejects.
   */
  readonly isPromised?: boolean;
}

export interface LiveLeg {
  readonly leg: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly direction: 'inbound' | 'outbound';
  readonly owner: LegOwner | null;
  readonly from: string;
  readonly to: string;
  readonly callerName: string;
  readonly phase: 'offered' | 'routing' | 'dialling' | 'ringing' | 'answered';
  readonly initiatedAt: number;
  readonly answeredAt: number | null;
  readonly requestUuid: string;
  readonly parentLeg: string | null;
  /** `X-PH-…` of the received INVITE, by their full names. */
  readonly headers: Readonly<Record<string, string>>;
  /** By which it is billed; absent for a leg of a node of the release before. */
  readonly rate?: Rate;
  /** The detection that its owner requested. */
  readonly machineDetection?: MachineDetection;
  /** Its audio is not for its account: no request streams, records, plays to or moves it. It can be hung up. */
  readonly isPrivate: boolean;
}

export type OwnedLegNotice =
  | { readonly type: 'leg-ringing'; readonly leg: string }
  /** It has early media: an offered leg after `openEarly`, or a dialled leg whose phone sends audio before it answers. */
  | { readonly type: 'leg-early'; readonly leg: string }
  | { readonly type: 'leg-answered'; readonly leg: string }
  | { readonly type: 'leg-digit'; readonly leg: string; readonly digit: string }
  /** After the order `watch-voice` to the media engine. */
  | { readonly type: 'leg-voice'; readonly leg: string; readonly speaking: boolean }
  | { readonly type: 'leg-given'; readonly leg: string }
  | { readonly type: 'leg-taken'; readonly leg: string }
  | {
      readonly type: 'leg-returned';
      readonly leg: string;
      readonly fields: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'leg-ended';
      readonly leg: string;
      readonly end: CallEnd;
      readonly durationSeconds: number;
    };
