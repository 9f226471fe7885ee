import type { Instant, KernelEffect, Machine, Step } from '../../../kernel/machine.ts';
import { type CallEnd, callEnds } from './hangup-cause.ts';

/**
 * Two legs joined for as long as both live: the leg of the caller and the one that we dial for it.
 * Its end is "both legs ended or belong to somebody else", whatever order their notices come in.
 */
export interface DirectCall {
  readonly wanted: WantedCall;
  readonly callerLeg: string;
  readonly calleeLeg: string;
  readonly caller: LegPhase;
  readonly callee: LegPhase;
  readonly bridged: boolean;
}

/** What the caller asked for. */
export interface WantedCall {
  readonly account: string;
  readonly mainAccount: string;
  readonly from: string;
  readonly to: string;
  readonly callerName: string;
}

/** `none`: the callee's leg has not been asked for. */
export type LegPhase = 'none' | 'waiting' | 'answered' | 'taken' | 'ended';

export type DirectCallInput =
  | { readonly type: 'opened' }
  | { readonly type: 'begin' }
  | { readonly type: 'leg-ringing'; readonly leg: string }
  | { readonly type: 'leg-answered'; readonly leg: string }
  | { readonly type: 'leg-taken'; readonly leg: string }
  | { readonly type: 'leg-ended'; readonly leg: string; readonly end: CallEnd }
  | { readonly type: 'timer-fired'; readonly key: string };

export type DirectCallEffect =
  | { readonly do: 'dial-callee'; readonly leg: string; readonly wanted: WantedCall }
  | { readonly do: 'ring-caller' }
  | { readonly do: 'answer-caller' }
  | { readonly do: 'bridge'; readonly callee: string }
  | { readonly do: 'unbridge' }
  | { readonly do: 'hang-up'; readonly leg: string; readonly end: CallEnd }
  | KernelEffect;

export const directCallMachine: Machine<DirectCall, DirectCallInput, DirectCallEffect> = { step };

/** A call whose caller waits and whose callee is to be dialled. */
export function newDirectCall(wanted: WantedCall, callerLeg: string, calleeLeg: string): DirectCall {
  return { wanted, callerLeg, calleeLeg, caller: 'waiting', callee: 'none', bridged: false };
}

/** True when neither leg can tell us anything any more. */
export function isDirectCallOver(call: DirectCall): boolean {
  return isGone(call.caller) && (isGone(call.callee) || call.callee === 'none');
}

const aloneTimer = 'left-alone';
/** Who takes both legs takes one after the other: the second lives so much longer than its call. */
const handoverMs = 500;

function step(call: DirectCall, input: DirectCallInput, now: Instant): Step<DirectCall, DirectCallEffect> {
  switch (input.type) {
    case 'begin':
      return call.callee === 'none' && call.caller === 'waiting'
        ? {
            state: { ...call, callee: 'waiting' },
            effects: [{ do: 'dial-callee', leg: call.calleeLeg, wanted: call.wanted }],
          }
        : stay(call);
    case 'leg-ringing':
      return input.leg === call.calleeLeg && call.caller === 'waiting'
        ? { state: call, effects: [{ do: 'ring-caller' }] }
        : stay(call);
    case 'leg-answered':
      return input.leg === call.calleeLeg ? calleeAnswered(call) : callerAnswered(call);
    case 'leg-ended':
      return legEnded(call, input.leg, input.end);
    case 'leg-taken':
      return legTaken(call, input.leg, now);
    case 'timer-fired':
      return leftAlone(call);
    case 'opened':
      return stay(call);
  }
}

function calleeAnswered(call: DirectCall): Step<DirectCall, DirectCallEffect> {
  if (call.callee !== 'waiting') return stay(call);
  const state: DirectCall = { ...call, callee: 'answered' };
  return call.caller === 'waiting' ? { state, effects: [{ do: 'answer-caller' }] } : stay(state);
}

function callerAnswered(call: DirectCall): Step<DirectCall, DirectCallEffect> {
  if (call.caller !== 'waiting') return stay(call);
  const state: DirectCall = { ...call, caller: 'answered' };
  if (call.callee !== 'answered') return stay(state);
  return { state: { ...state, bridged: true }, effects: [{ do: 'bridge', callee: call.calleeLeg }] };
}

function legEnded(call: DirectCall, leg: string, end: CallEnd): Step<DirectCall, DirectCallEffect> {
  const isCaller = leg === call.callerLeg;
  const state: DirectCall = {
    ...call,
    caller: isCaller ? 'ended' : call.caller,
    callee: isCaller ? call.callee : 'ended',
    bridged: false,
  };
  const other = isCaller ? call.callee : call.caller;
  const effects: DirectCallEffect[] = call.bridged ? [{ do: 'unbridge' }] : [];
  if (isAlive(other)) {
    const otherLeg = isCaller ? call.calleeLeg : call.callerLeg;
    effects.push({ do: 'hang-up', leg: otherLeg, end: endOfOther(isCaller, other, end) });
  }
  return { state, effects };
}

/** A leg that belongs to somebody else leaves the mix at once, and its partner has nobody to talk to. */
function legTaken(call: DirectCall, leg: string, now: Instant): Step<DirectCall, DirectCallEffect> {
  const isCaller = leg === call.callerLeg;
  const state: DirectCall = { ...call, [isCaller ? 'caller' : 'callee']: 'taken', bridged: false };
  const effects: DirectCallEffect[] = call.bridged ? [{ do: 'unbridge' }] : [];
  effects.push({ do: 'start-timer', key: aloneTimer, at: now + handoverMs });
  return { state, effects };
}

function leftAlone(call: DirectCall): Step<DirectCall, DirectCallEffect> {
  const end = callEnds(4000, 'API Request');
  const effects: DirectCallEffect[] = [];
  for (const [leg, phase] of [
    [call.callerLeg, call.caller],
    [call.calleeLeg, call.callee],
  ] as const) {
    if (isAlive(phase)) effects.push({ do: 'hang-up', leg, end });
  }
  return { state: call, effects };
}

function isAlive(phase: LegPhase): boolean {
  return phase === 'waiting' || phase === 'answered';
}

function isGone(phase: LegPhase): boolean {
  return phase === 'ended' || phase === 'taken';
}

/** What the surviving leg records: why its partner is gone, seen from its own side. */
function endOfOther(callerLeft: boolean, other: LegPhase, end: CallEnd): CallEnd {
  if (other === 'answered') return callEnds(4000, callerLeft ? 'Caller' : 'Call recipient');
  // The caller gave up before the callee answered; or the callee's refusal is passed on as it came.
  return callerLeft ? callEnds(1000, 'Caller') : end;
}

function stay(state: DirectCall): Step<DirectCall, DirectCallEffect> {
  return { state, effects: [] };
}
