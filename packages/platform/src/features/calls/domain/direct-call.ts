import {
  type CallEnd,
  callEnds,
  type Instant,
  type LegSpec,
  type Machine,
  type RefusalStatus,
  type Step,
  stay,
} from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';

/**
 * Two legs that are joined while both are live: the leg of the caller and the leg that we dial for it.
 * It is over when both legs have ended or have another owner, in any order of their notices.
 *
 * A leg can have a successor, which replaces it when it answers: a transfer. When the replaced leg ends before, the call waits for
 * the successor; when the successor fails, nothing changes.
 */
export interface DirectCall {
  /** The leg to its callee; null for two legs that were answered before. */
  readonly requested: RequestedCall | null;
  readonly callerLeg: string;
  readonly calleeLeg: string;
  readonly caller: LegPhase;
  readonly callee: LegPhase;
  /** The audio: each other, or, while one leg is awaited, ringing or its early media. */
  readonly sound: 'none' | 'bridge' | 'ringback' | 'early';
  /** The awaited leg has early media, which the other leg hears as soon as its audio path is open. */
  readonly isEarly: boolean;
  readonly successor: { readonly leg: string; readonly side: Side; readonly isEarly: boolean } | null;
  /** Legs that were replaced and hung up, and have not ended. */
  readonly leaving: readonly string[];
}

export type Side = 'caller' | 'callee';

/** The call that the caller requested. */
export interface RequestedCall {
  readonly account: string;
  readonly mainAccount: string;
  readonly spec: LegSpec;
}

/** `none`: the callee's leg has not been dialled. */
export type LegPhase = 'none' | 'waiting' | 'answered' | 'taken' | 'ended';

export type DirectCallInput =
  | { readonly type: 'opened' }
  | { readonly type: 'begin' }
  /** The leg to the callee could not be recorded; the status is for the caller. */
  | { readonly type: 'not-dialled'; readonly status: RefusalStatus }
  /** Both legs have been answered and belong to this call from now on. */
  | { readonly type: 'adopt' }
  /** `leg` replaces another one as soon as it is answered, or given to us; replies whether it may. */
  | { readonly type: 'succeed'; readonly leg: string; readonly replaces: string }
  | { readonly type: 'leg-ringing'; readonly leg: string }
  | { readonly type: 'leg-early'; readonly leg: string }
  | { readonly type: 'leg-answered'; readonly leg: string }
  | { readonly type: 'leg-given'; readonly leg: string }
  | { readonly type: 'leg-taken'; readonly leg: string }
  | { readonly type: 'leg-ended'; readonly leg: string; readonly end: CallEnd }
  | { readonly type: 'timer-fired'; readonly key: string };

export type DirectCallEffect =
  | { readonly do: 'dial-callee'; readonly leg: string; readonly requested: RequestedCall }
  | { readonly do: 'ring-caller' }
  | { readonly do: 'early-caller' }
  | { readonly do: 'answer-caller' }
  | { readonly do: 'bridge'; readonly legs: readonly [string, string] }
  /** This leg hears ringing, for a phone that replaces its partner. */
  | { readonly do: 'ringback'; readonly leg: string }
  /** The leg hears the other leg, which hears nothing: a phone that has not answered gets no audio. */
  | { readonly do: 'overhear'; readonly leg: string; readonly other: string }
  /** Ends the audio. */
  | { readonly do: 'unbridge' }
  | { readonly do: 'hang-up'; readonly leg: string; readonly end: CallEnd }
  | { readonly do: 'refuse-caller'; readonly end: CallEnd; readonly status: RefusalStatus }
  | KernelEffect<never, boolean>;

type CallStep = Step<DirectCall, DirectCallEffect>;

export const directCallMachine: Machine<DirectCall, DirectCallInput, DirectCallEffect> = { step };

/** A call whose caller waits and whose callee is to be dialled. */
export function newDirectCall(requested: RequestedCall, callerLeg: string, calleeLeg: string): DirectCall {
  return {
    requested,
    callerLeg,
    calleeLeg,
    caller: 'waiting',
    callee: 'none',
    ...untouched,
  };
}

/** Two answered legs that had another owner; joined by `adopt`. */
export function adoptedCall(callerLeg: string, calleeLeg: string): DirectCall {
  return {
    requested: null,
    callerLeg,
    calleeLeg,
    caller: 'answered',
    callee: 'answered',
    ...untouched,
  };
}

const untouched = { sound: 'none', isEarly: false, successor: null, leaving: [] } as const;

/** True when no leg can send a notice any more. */
export function isDirectCallOver(call: DirectCall): boolean {
  const isCalleeGone = isGone(call.callee) || call.callee === 'none';
  return isGone(call.caller) && isCalleeGone && call.successor === null && call.leaving.length === 0;
}

/** Whether this leg can be replaced: both legs are joined, and there is no successor yet. */
export function isReplaceable(call: DirectCall, leg: string): boolean {
  return call.sound === 'bridge' && call.successor === null && sideOf(call, leg) !== undefined;
}

const aloneTimer = 'left-alone';
/** An owner that takes both legs takes one after the other: the second leg stays for this time. */
const handoverMs = 500;

function step(call: DirectCall, input: DirectCallInput, now: Instant): CallStep {
  switch (input.type) {
    case 'begin':
      return call.callee === 'none' && call.caller === 'waiting' && call.requested !== null
        ? {
            state: { ...call, callee: 'waiting' },
            effects: [{ do: 'dial-callee', leg: call.calleeLeg, requested: call.requested }],
          }
        : stay(call);
    case 'not-dialled':
      return notDialled(call, input.status);
    case 'adopt':
      return joined(call, []);
    case 'succeed':
      return succeed(call, input.leg, input.replaces);
    case 'leg-ringing':
      return input.leg === call.calleeLeg && call.caller === 'waiting'
        ? { state: call, effects: [{ do: 'ring-caller' }] }
        : stay(call);
    case 'leg-early':
      return early(call, input.leg);
    // A leg that is given has been answered before, in another conversation.
    case 'leg-given':
    case 'leg-answered':
      return call.successor?.leg === input.leg ? promoted(call, call.successor) : answered(call, input.leg);
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

function notDialled(call: DirectCall, status: RefusalStatus): CallStep {
  const state: DirectCall = { ...call, callee: 'ended' };
  if (!isAlive(call.caller)) return stay(state);
  return { state, effects: [{ do: 'refuse-caller', end: callEnds(5010, 'Error'), status }] };
}

function answered(call: DirectCall, leg: string): CallStep {
  const side = sideOf(call, leg);
  if (side === undefined || call[side] !== 'waiting') return stay(call);
  const state: DirectCall = { ...call, [side]: 'answered' };
  if (state.caller === 'answered' && state.callee === 'answered') return joined(state, []);
  return side === 'callee' && state.caller === 'waiting'
    ? { state, effects: [{ do: 'answer-caller' }] }
    : stay(state);
}

function joined(call: DirectCall, before: readonly DirectCallEffect[]): CallStep {
  if (call.caller !== 'answered' || call.callee !== 'answered') return { state: call, effects: before };
  return {
    state: { ...call, sound: 'bridge', isEarly: false },
    effects: [...before, ...quiet(call), { do: 'bridge', legs: [call.callerLeg, call.calleeLeg] }],
  };
}

/** Early media of the callee or of a successor, or an open audio path to the caller. */
function early(call: DirectCall, leg: string): CallStep {
  const { successor } = call;
  if (successor?.leg === leg) return stay({ ...call, successor: { ...successor, isEarly: true } });
  if (leg === call.callerLeg && call.caller === 'waiting' && call.isEarly) return overheard(call, 'caller');
  const side = sideOf(call, leg);
  if (side === undefined || call[side] !== 'waiting' || call.isEarly) return stay(call);
  const state: DirectCall = { ...call, isEarly: true };
  const other = otherSide(side);
  if (call[other] === 'answered') return overheard(state, other);
  return side === 'callee' ? { state, effects: [{ do: 'early-caller' }] } : stay(call);
}

function overheard(call: DirectCall, side: Side): CallStep {
  return {
    state: { ...call, sound: 'early' },
    effects: [
      ...quiet(call),
      { do: 'overhear', leg: legOf(call, side), other: legOf(call, otherSide(side)) },
    ],
  };
}

function succeed(call: DirectCall, leg: string, replaced: string): CallStep {
  const side = sideOf(call, replaced);
  if (side === undefined || !isReplaceable(call, replaced)) {
    return { state: call, effects: [{ do: 'reply', reply: false }] };
  }
  return {
    state: { ...call, successor: { leg, side, isEarly: false } },
    effects: [{ do: 'reply', reply: true }],
  };
}

/** The successor has answered: the replaced leg is hung up, and the other leg is joined with the successor. */
function promoted(call: DirectCall, { leg, side }: NonNullable<DirectCall['successor']>): CallStep {
  const replaced = legOf(call, side);
  const state: DirectCall = {
    ...withLeg(call, side, leg, 'answered'),
    successor: null,
    leaving: [...call.leaving, replaced],
  };
  return joined(state, [{ do: 'hang-up', leg: replaced, end: endOfLeaver(side) }]);
}

function legEnded(call: DirectCall, leg: string, end: CallEnd): CallStep {
  if (call.leaving.includes(leg)) {
    return stay({ ...call, leaving: call.leaving.filter((each) => each !== leg) });
  }
  // Without the successor the call continues.
  if (call.successor?.leg === leg) return stay({ ...call, successor: null });
  const side = sideOf(call, leg);
  if (side === undefined || isGone(call[side])) return stay(call);
  const { successor } = call;
  if (successor?.side === side) return awaited(call, successor);
  return closed(call, side, 'ended', (other) => endOfOther(side === 'caller', call[other], end));
}

/** The leg has ended before its successor has answered: its partner hears ringing, or the successor's early media. */
function awaited(call: DirectCall, { leg, side, isEarly }: NonNullable<DirectCall['successor']>): CallStep {
  const state = withLeg({ ...call, successor: null, isEarly }, side, leg, 'waiting');
  if (isEarly) return overheard(state, otherSide(side));
  return {
    state: { ...state, sound: 'ringback' },
    effects: [...quiet(call), { do: 'ringback', leg: legOf(call, otherSide(side)) }],
  };
}

/** A leg with another owner leaves the mix at once, and its partner is left alone. */
function legTaken(call: DirectCall, leg: string, now: Instant): CallStep {
  if (call.leaving.includes(leg)) {
    return stay({ ...call, leaving: call.leaving.filter((each) => each !== leg) });
  }
  if (call.successor?.leg === leg) return stay({ ...call, successor: null });
  const side = sideOf(call, leg);
  if (side === undefined || isGone(call[side])) return stay(call);
  const { state, effects } = closed(call, side, 'taken', () => undefined);
  return {
    state,
    effects: [...effects, { do: 'start-timer', key: aloneTimer, at: now + handoverMs }],
  };
}

/** One side is gone: the audio ends, and the other leg is hung up with the given end, if any. */
function closed(
  call: DirectCall,
  side: Side,
  phase: 'ended' | 'taken',
  endOf: (other: Side) => CallEnd | undefined,
): CallStep {
  const other = otherSide(side);
  const effects: DirectCallEffect[] = [...quiet(call)];
  const end = isAlive(call[other]) ? endOf(other) : undefined;
  if (end !== undefined) effects.push({ do: 'hang-up', leg: legOf(call, other), end });
  const { successor } = call;
  if (successor !== null) {
    effects.push({ do: 'hang-up', leg: successor.leg, end: callEnds(1000, 'Caller') });
  }
  const state: DirectCall = {
    ...call,
    [side]: phase,
    sound: 'none',
    isEarly: false,
    successor: null,
    leaving: successor === null ? call.leaving : [...call.leaving, successor.leg],
  };
  return { state, effects };
}

/** No owner took the leg that was left alone: it is hung up. */
function leftAlone(call: DirectCall): CallStep {
  const end = callEnds(4000, 'Service');
  const effects: DirectCallEffect[] = [];
  for (const side of ['caller', 'callee'] as const) {
    if (isAlive(call[side])) effects.push({ do: 'hang-up', leg: legOf(call, side), end });
  }
  return { state: call, effects };
}

function quiet(call: DirectCall): readonly DirectCallEffect[] {
  return call.sound === 'none' ? [] : [{ do: 'unbridge' }];
}

function sideOf(call: DirectCall, leg: string): Side | undefined {
  if (leg === call.callerLeg) return 'caller';
  return leg === call.calleeLeg ? 'callee' : undefined;
}

function otherSide(side: Side): Side {
  return side === 'caller' ? 'callee' : 'caller';
}

function legOf(call: DirectCall, side: Side): string {
  return side === 'caller' ? call.callerLeg : call.calleeLeg;
}

function withLeg(call: DirectCall, side: Side, leg: string, phase: LegPhase): DirectCall {
  return side === 'caller'
    ? { ...call, callerLeg: leg, caller: phase }
    : { ...call, calleeLeg: leg, callee: phase };
}

function isAlive(phase: LegPhase): boolean {
  return phase === 'waiting' || phase === 'answered';
}

function isGone(phase: LegPhase): boolean {
  return phase === 'ended' || phase === 'taken';
}

/** The end of a leg whose phone has transferred its call. */
function endOfLeaver(side: Side): CallEnd {
  return callEnds(4000, side === 'caller' ? 'Caller' : 'Call recipient');
}

/** The end of the remaining leg: why its partner is gone. */
function endOfOther(callerLeft: boolean, other: LegPhase, end: CallEnd): CallEnd {
  // Neither phone has hung up: a fault of the platform ends both legs.
  if (end.code === 5010) return end;
  if (other === 'answered') return callEnds(4000, callerLeft ? 'Caller' : 'Call recipient');
  // The caller gave up before the callee answered; or the callee's refusal is passed on.
  return callerLeft ? callEnds(1000, 'Caller') : end;
}
