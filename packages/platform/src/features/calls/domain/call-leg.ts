import type {
  CallEnd,
  DialRequest,
  DialTarget,
  Instant,
  KeySource,
  LegSpec,
  NamedTrunk,
  PressedKey,
  RefusalStatus,
  TimerFired,
} from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';
import type { Rate } from '../../usage/index.ts';
import type { SignalledEnd } from './cause-of-end.ts';
import type { LegCallbacks, LegOwner } from './leg-owner.ts';
import type { LegQuality } from './leg-quality.ts';

/**
 * One leg between the platform and a phone.
 *
 *   offered ─────────────┐               (inbound: an INVITE is waiting for us)
 *   routing → dialling ──┴→ ringing → answered → ended
 *
 * Any state ends; `ended` is reached exactly once, when signalling says so or when no target was found.
 */
export interface CallLeg {
  readonly leg: string;
  readonly account: string;
  readonly mainAccount: string;
  /** A request of its account began it, for example its INVITE; any other leg was dialled for what lives. */
  readonly isRequested: boolean;
  readonly direction: 'inbound' | 'outbound';
  /** Null while an offered leg looks for its owner. */
  readonly owner: LegOwner | null;
  /** Gets the notices of the owner while the leg is lent. */
  readonly borrower: LegOwner | null;
  /** Notices of an offered leg without an owner, which gets them all later; null once that is decided. */
  readonly missed: readonly OwnerNotice[] | null;
  /** The requested leg; of an inbound leg, the parties of its INVITE. */
  readonly spec: LegSpec;
  readonly requestUuid: string;
  readonly parentLeg: string | null;
  /** Of the parent, or this leg's own without a parent. */
  readonly parentRequestUuid: string;
  /** `X-PH-…` of the received INVITE, by their full names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sourceAddress: string | null;
  /** The trunk through which it came or goes. */
  readonly trunk: NamedTrunk | null;
  readonly callbacks: LegCallbacks | null;
  /** What signalling of another process needs to hang up the answered leg when this one dies; null without other processes. */
  readonly dialog: string | null;
  /** The keys of its specification were pressed. */
  readonly areDigitsSent: boolean;
  readonly rate: Rate;
  readonly phase: 'offered' | 'routing' | 'dialling' | 'ringing' | 'answered' | 'ended';
  readonly initiatedAt: Instant;
  readonly answeredAt: Instant | null;
  readonly endedAt: Instant | null;
  readonly end: CallEnd | null;
  /** The end that was ordered from signalling and has not happened yet. */
  readonly requestedEnd: CallEnd | null;
  /** Null before the end, and for a leg without audio. */
  readonly quality: LegQuality | null;
  /** The keys of the last seconds, each of which may arrive a second time in another way. */
  readonly pressedKeys: readonly PressedKey[];
}

export type CallLegInput =
  | { readonly type: 'offered' }
  /** A taker accepts the leg, from its first notice on; replies whether the leg is still live. */
  | {
      readonly type: 'offer-taken';
      readonly owner: LegOwner;
      readonly callbacks?: LegCallbacks;
      readonly timeLimitSeconds?: number;
    }
  /** The leg will never have an owner; the status says why. */
  | { readonly type: 'offer-refused'; readonly end: CallEnd; readonly status: RefusalStatus }
  /** The record exists: looks up the targets of `to`; `routed` or `unreachable` comes back. */
  | { readonly type: 'place' }
  | { readonly type: 'routed'; readonly callee: string; readonly targets: readonly DialTarget[] }
  | { readonly type: 'unreachable'; readonly end: CallEnd }
  | { readonly type: 'ring' }
  | { readonly type: 'open-early' }
  | { readonly type: 'answer' }
  /** Without a status a waiting caller gets that of the end. */
  | { readonly type: 'hang-up'; readonly end: CallEnd; readonly status?: RefusalStatus }
  /** Both are answered with `true` or `false`. */
  | { readonly type: 'take'; readonly owner: LegOwner }
  | { readonly type: 'lend'; readonly borrower: LegOwner }
  | {
      readonly type: 'give-back';
      readonly borrower: LegOwner;
      readonly fields: Readonly<Record<string, string>>;
    }
  /** An inbound leg lasts for so many seconds more; an outbound one keeps its limit. */
  | { readonly type: 'extend'; readonly seconds: number }
  | { readonly type: 'leg-ringing' }
  | { readonly type: 'leg-early' }
  | { readonly type: 'leg-answered'; readonly dialog?: string }
  | {
      readonly type: 'leg-digit';
      readonly digit: string;
      /** Left out for a key that cannot arrive twice. */
      readonly heard?: { readonly as: KeySource; readonly durationMs: number };
    }
  | { readonly type: 'leg-voice'; readonly speaking: boolean }
  | {
      readonly type: 'leg-ended';
      readonly end: SignalledEnd;
      readonly quality?: LegQuality | null;
    }
  | TimerFired;

export type CallLegEffect =
  | { readonly do: 'route'; readonly account: string; readonly mainAccount: string; readonly to: string }
  | { readonly do: 'dial'; readonly request: DialRequest }
  | { readonly do: 'ring' }
  | { readonly do: 'open-early' }
  | { readonly do: 'answer' }
  | { readonly do: 'send-digits'; readonly digits: string }
  /** The other leg of its conversation gets the key, where its packets do not reach that leg by themselves. */
  | { readonly do: 'pass-key'; readonly owner: LegOwner; readonly digit: string }
  /** `completedElsewhere`: another phone has answered. */
  | { readonly do: 'hang-up'; readonly status: RefusalStatus; readonly completedElsewhere?: true }
  | { readonly do: 'notify-owner'; readonly owner: LegOwner; readonly notice: OwnerNotice }
  /** Once, when it has ended and its owner, if any, was notified. */
  | { readonly do: 'leave' }
  | KernelEffect<CallLegEvent, boolean>;

/** Events for the outbox. */
export type CallLegEvent = 'ringing' | 'answered' | 'ended';

export type OwnerNotice =
  | { readonly type: 'leg-ringing' }
  | { readonly type: 'leg-early' }
  | { readonly type: 'leg-answered' }
  | { readonly type: 'leg-digit'; readonly digit: string }
  | { readonly type: 'leg-voice'; readonly speaking: boolean }
  | { readonly type: 'leg-given' }
  | { readonly type: 'leg-taken' }
  | { readonly type: 'leg-returned'; readonly fields: Readonly<Record<string, string>> }
  | { readonly type: 'leg-ended'; readonly end: CallEnd; readonly durationSeconds: number };

/** docs/interface/calls.md#limits: 24 hours. */
export const longestTimeLimitSeconds = 86_400;

/** True when the leg has ended and no later owner has to be notified. */
export function isLegOver(leg: CallLeg): boolean {
  return leg.phase === 'ended' && leg.missed === null;
}

/** Whole seconds from the answer to the end, or to now. */
export function durationOf(leg: Pick<CallLeg, 'answeredAt' | 'endedAt'>): number {
  const { answeredAt, endedAt } = leg;
  return answeredAt === null || endedAt === null ? 0 : Math.max(0, Math.round((endedAt - answeredAt) / 1000));
}

/** Billable seconds: an answered call has at least one second, and never more than its time limit. */
export function billableSecondsOf(leg: Pick<CallLeg, 'answeredAt' | 'endedAt' | 'spec'>): number {
  return leg.answeredAt === null ? 0 : Math.max(1, Math.min(durationOf(leg), leg.spec.timeLimitSeconds));
}
