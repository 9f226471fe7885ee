import type { LegSpec } from '@jackfield/ports';
import type { CallEnd } from './domain/hangup-cause.ts';
import type { LegCallbacks, LegOwner } from './domain/leg-owner.ts';

/**
 * The door of the calls feature for those who own legs: a multiparty call, a direct call, a document that runs. An owner is
 * named by kind and id and is told what happens to its legs, after the leg's own record was committed.
 */
export interface Calls {
  /**
   * Each kind of owner registers once how it is told; one that joins legs in twos says of its conversations what a phone needs that
   * transfers its call. Legs of a `private` one are never anybody else's, see `LiveLeg.isPrivate`.
   */
  ownedBy(
    kind: string,
    tell: (owner: string, notice: OwnedLegNotice) => void,
    own?: Conversations | 'private',
  ): void;
  /**
   * Who takes calls that phones place: asked for each offered leg, in the order of registration; where nobody wants it, it becomes
   * a direct call. The leg is recorded before; the owner hears of its end even when it comes while the taker thinks.
   */
  offeredTo(taker: (offer: LegOffer) => Promise<TakenOffer | undefined>): void;
  /**
   * Records an outbound leg and dials it. Whatever goes wrong (no such destination, not registered, busy, no answer)
   * arrives as `leg-ended`; the promise resolves when the record is durable.
   */
  dial(leg: OutboundLeg): Promise<void>;
  /** 180 to the caller of an offered leg. */
  ring(leg: string): void;
  /** 183 with early media to the caller of an offered leg; `leg-early` comes back. */
  openEarly(leg: string): void;
  /** Answers an offered leg; `leg-answered` comes back. */
  answer(leg: string): void;
  /** Ends a leg with a cause of ours; no-op for one that ended already. */
  hangUp(leg: string, end: CallEnd): void;
  /**
   * Another owner for good: the one before (and a borrower) hears `leg-taken` and nothing more. False when the leg has ended or is private.
   * The new owner hears everything from then on; `leg-given` first.
   */
  take(leg: string, owner: LegOwner): Promise<boolean>;
  /**
   * Lends the leg: the borrower hears digits, voice and the end; the owner hears the end alone, until the leg is given
   * back (`leg-returned` with what the borrower has to say) or taken. False when the leg has ended, is lent already or is private.
   */
  lend(leg: string, borrower: LegOwner): Promise<boolean>;
  giveBack(leg: string, borrower: LegOwner, remarks: Readonly<Record<string, string>>): void;
  /** The leg as it is now; undefined when it has ended or never was. */
  peek(leg: string): LiveLeg | undefined;
  /**
   * The other leg of the conversation: the one for which this one was dialled, or the live one that was dialled for it (an answered
   * one before others, the latest before the first). Undefined where there is none.
   */
  partnerOf(leg: string): string | undefined;
  /** Tells of every leg that is over, once, whoever owned it, when `peek` knows it no more: for those who act on legs of others. */
  whenOver(tell: (leg: string) => void): void;
  /** The parameters that every request about a call carries (docs/interface/calls.md#request-parameters), without `Event`. */
  parametersOf(leg: LiveLeg): Readonly<Record<string, string>>;
}

export type { LegCallbacks, LegOwner };

/** Conversations of two legs, by their owner. */
export interface Conversations {
  /** The leg that this one talks with at this moment; undefined where it talks with none. */
  partnerOf(owner: string, leg: string): string | undefined;
  /**
   * What becomes possible when the phone of `leg` leaves: another leg may take its place (`replaceable`; `bound` where something goes on
   * with the one that stays, so that it had better not be taken away), or the owner can only let both of its legs go (`releasable`).
   * Undefined when neither is, as while a transfer is under way.
   */
  placeOf(owner: string, leg: string): 'bound' | 'replaceable' | 'releasable' | undefined;
  /**
   * Announces that another leg takes a place as soon as it is answered or given to this owner; then the leg that had it is hung up. When
   * it ends before, nothing changes. False when the place is not to be had any more: the owner never hears of that leg then.
   */
  succeed(owner: string, successor: Successor): Promise<boolean>;
  /** Ends what runs on the legs and lets both live, for somebody who takes them at once; false when there is nothing to end. */
  release(owner: string): Promise<boolean>;
}

/** A leg that is to take the place of another one, and what records call its two ends. */
export interface Successor {
  readonly leg: string;
  readonly place: string;
  readonly from: string;
  readonly to: string;
}

/** A phone has placed a call; nothing but 100 has been answered. */
export interface LegOffer {
  readonly leg: string;
  readonly account: string;
  readonly mainAccount: string;
  /** Empty where no endpoint calls, as through a trunk. */
  readonly endpoint: string;
  /** The trunk through which it came, if it did. */
  readonly trunk?: string;
  /** The carrier that hands it over, if one does. */
  readonly carrier?: string;
  /** The application that its caller's token wants to take it. */
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
  /** `X-PH-…` of the INVITE that came, by their full names. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is said on it is not for its account: nobody streams, records, plays to or moves it. It can be hung up. */
  readonly isPrivate: boolean;
}

export type OwnedLegNotice =
  | { readonly type: 'leg-ringing'; readonly leg: string }
  /** It has early media: an offered leg that `openEarly` was asked for, or a dialled one whose phone sends it before it answers. */
  | { readonly type: 'leg-early'; readonly leg: string }
  | { readonly type: 'leg-answered'; readonly leg: string }
  | { readonly type: 'leg-digit'; readonly leg: string; readonly digit: string }
  /** After `watch-voice` was asked of the media engine. */
  | { readonly type: 'leg-voice'; readonly leg: string; readonly speaking: boolean }
  | { readonly type: 'leg-given'; readonly leg: string }
  | { readonly type: 'leg-taken'; readonly leg: string }
  | {
      readonly type: 'leg-returned';
      readonly leg: string;
      readonly remarks: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'leg-ended';
      readonly leg: string;
      readonly end: CallEnd;
      readonly durationSeconds: number;
    };
