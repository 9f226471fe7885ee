import type { Instant, KernelEffect, Machine, Step, TimerFired } from '../../../kernel/machine.ts';
import { causeOfEnd, type SignalledEnd, statusOfEnd } from './cause-of-end.ts';
import { type CallEnd, callEnds } from './hangup-cause.ts';

/**
 * One leg between the platform and a phone.
 *
 *   offered ─────────────┐               (inbound: an INVITE is waiting for us)
 *   routing → dialling ──┴→ ringing → answered → ended
 *
 * Any state ends; `ended` is reached exactly once, when signalling says so or when there was nowhere to dial.
 */
export interface CallLeg {
  readonly leg: string;
  readonly account: string;
  readonly direction: 'inbound' | 'outbound';
  readonly owner: { readonly kind: string; readonly id: string };
  readonly from: string;
  readonly to: string;
  readonly callerName: string;
  readonly phase: 'offered' | 'routing' | 'dialling' | 'ringing' | 'answered' | 'ended';
  readonly initiatedAt: Instant;
  readonly answeredAt: Instant | null;
  readonly endedAt: Instant | null;
  readonly end: CallEnd | null;
  /** The end that we asked signalling for and that has not happened yet. */
  readonly wantedEnd: CallEnd | null;
}

export interface DialledTarget {
  readonly uri: string;
  readonly flow?: string;
}

export type CallLegInput =
  | { readonly type: 'offered' }
  /** The record exists: find out where `to` is reached; `routed` or `unreachable` comes back. */
  | {
      readonly type: 'place';
      readonly ringTimeoutSeconds: number;
      readonly sipHeaders: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'routed';
      readonly user: string;
      readonly targets: readonly DialledTarget[];
      readonly sipHeaders: Readonly<Record<string, string>>;
    }
  | { readonly type: 'unreachable'; readonly end: CallEnd }
  | { readonly type: 'ring' }
  | { readonly type: 'answer' }
  | { readonly type: 'hang-up'; readonly end: CallEnd }
  | { readonly type: 'leg-ringing' }
  | { readonly type: 'leg-answered' }
  | { readonly type: 'leg-ended'; readonly end: SignalledEnd }
  | TimerFired;

export type CallLegEffect =
  | {
      readonly do: 'route';
      readonly account: string;
      readonly to: string;
      readonly sipHeaders: Readonly<Record<string, string>>;
    }
  | {
      readonly do: 'dial';
      readonly user: string;
      readonly targets: readonly DialledTarget[];
      readonly sipHeaders: Readonly<Record<string, string>>;
      readonly from: string;
      readonly callerName: string;
    }
  | { readonly do: 'ring' }
  | { readonly do: 'answer' }
  | { readonly do: 'hang-up'; readonly status: number }
  | { readonly do: 'tell-owner'; readonly owner: CallLeg['owner']; readonly notice: OwnerNotice }
  | KernelEffect;

export type OwnerNotice =
  | { readonly type: 'leg-ringing' }
  | { readonly type: 'leg-answered' }
  | { readonly type: 'leg-ended'; readonly end: CallEnd; readonly durationSeconds: number };

const ringTimer = 'ring-timeout';

export const callLegMachine: Machine<CallLeg, CallLegInput, CallLegEffect> = { step };

function step(leg: CallLeg, input: CallLegInput, now: Instant): Step<CallLeg, CallLegEffect> {
  if (leg.phase === 'ended') return stay(leg);
  switch (input.type) {
    case 'offered':
      return stay(leg);
    case 'place':
      return {
        state: leg,
        effects: [
          { do: 'route', account: leg.account, to: leg.to, sipHeaders: input.sipHeaders },
          { do: 'start-timer', key: ringTimer, at: now + input.ringTimeoutSeconds * 1000 },
        ],
      };
    case 'routed':
      return routed(leg, input, now);
    case 'unreachable':
      return ended(leg, leg.wantedEnd ?? input.end, now);
    case 'ring':
      return leg.phase === 'offered'
        ? { state: { ...leg, phase: 'ringing' }, effects: [{ do: 'ring' }] }
        : stay(leg);
    case 'answer':
      return isWaitingCaller(leg) ? { state: leg, effects: [{ do: 'answer' }] } : stay(leg);
    case 'hang-up':
      return hangUp(leg, input.end);
    case 'timer-fired':
      return leg.phase === 'answered' ? stay(leg) : hangUp(leg, callEnds(6010, 'Service'));
    case 'leg-ringing':
      return leg.phase === 'dialling'
        ? told({ ...leg, phase: 'ringing' }, { type: 'leg-ringing' })
        : stay(leg);
    case 'leg-answered':
      return answered(leg, now);
    case 'leg-ended':
      return ended(leg, causeOfEnd(leg.direction, input.end, leg.wantedEnd), now);
  }
}

function routed(
  leg: CallLeg,
  input: Extract<CallLegInput, { type: 'routed' }>,
  now: Instant,
): Step<CallLeg, CallLegEffect> {
  if (leg.phase !== 'routing') return stay(leg);
  if (leg.wantedEnd !== null) return ended(leg, leg.wantedEnd, now);
  const { user, targets, sipHeaders } = input;
  return {
    state: { ...leg, phase: 'dialling' },
    effects: [{ do: 'dial', user, targets, sipHeaders, from: leg.from, callerName: leg.callerName }],
  };
}

/** The first wish counts: a kick that crosses the end of the whole call is still a kick. */
function hangUp(leg: CallLeg, end: CallEnd): Step<CallLeg, CallLegEffect> {
  if (leg.wantedEnd !== null) return stay(leg);
  // Signalling does not know the leg yet; `routed` will find the wish.
  if (leg.phase === 'routing') return stay({ ...leg, wantedEnd: end });
  return { state: { ...leg, wantedEnd: end }, effects: [{ do: 'hang-up', status: statusOfEnd(end) }] };
}

function answered(leg: CallLeg, now: Instant): Step<CallLeg, CallLegEffect> {
  if (leg.phase === 'answered') return stay(leg);
  const state: CallLeg = { ...leg, phase: 'answered', answeredAt: now };
  // The answer crossed our CANCEL: signalling ends the dialog, and the owner never hears of the answer.
  if (leg.wantedEnd !== null) return { state, effects: [{ do: 'cancel-timer', key: ringTimer }] };
  return {
    state,
    effects: [
      { do: 'cancel-timer', key: ringTimer },
      { do: 'tell-owner', owner: leg.owner, notice: { type: 'leg-answered' } },
    ],
  };
}

function ended(leg: CallLeg, end: CallEnd, now: Instant): Step<CallLeg, CallLegEffect> {
  const durationSeconds = leg.answeredAt === null ? 0 : Math.round((now - leg.answeredAt) / 1000);
  return {
    state: { ...leg, phase: 'ended', endedAt: now, end },
    effects: [
      { do: 'cancel-timer', key: ringTimer },
      { do: 'tell-owner', owner: leg.owner, notice: { type: 'leg-ended', end, durationSeconds } },
    ],
  };
}

function isWaitingCaller(leg: CallLeg): boolean {
  return leg.direction === 'inbound' && (leg.phase === 'offered' || leg.phase === 'ringing');
}

function told(state: CallLeg, notice: OwnerNotice): Step<CallLeg, CallLegEffect> {
  return { state, effects: [{ do: 'tell-owner', owner: state.owner, notice }] };
}

function stay(state: CallLeg): Step<CallLeg, CallLegEffect> {
  return { state, effects: [] };
}
