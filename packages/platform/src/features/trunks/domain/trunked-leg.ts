import type { Instant, LegEnd, Machine, Step } from '@jackfield/ports';
import type { PlaceEffect, PlaceInput } from '../../../kernel/layered-legs.ts';

/** Why a place did not take a call, and the call went on. */
export type PlaceFailure = 'rejected' | 'silent' | 'transport-failed';

/**
 * An outbound leg to the telephone system behind an inbound trunk: its places are tried one after another.
 *
 *   trying ⇄ giving-up
 *     └────▶ taken ▶ ended
 *
 * It goes on after 408, 5xx, a failed transport and silence (conventions.md §6); never once it rang or was answered, and never
 * after another status, which is an answer of whoever was called.
 */
export interface TrunkedLeg {
  readonly phase: 'trying' | 'giving-up' | 'taken' | 'ended';
  /** Of how many places. */
  readonly places: number;
  /** The one that is tried, from 0. */
  readonly at: number;
  readonly isHungUp: boolean;
}

/** What is of trunks alone. */
export type TrunkEffect =
  | { readonly do: 'invite'; readonly at: number }
  /** The call goes on to the next place, or nowhere: for the feed. */
  | { readonly do: 'tell-failed'; readonly at: number; readonly because: PlaceFailure; readonly end: LegEnd };

export type TrunkedLegInput = PlaceInput;
export type TrunkedLegEffect = TrunkEffect | PlaceEffect;

type LegStep = Step<TrunkedLeg, TrunkedLegEffect>;

/** A place that has not rung for so long loses the call, where there is another one: what carriers are given (decision 0014). */
const silentMs = 8_000;

export function newTrunkedLeg(places: number): TrunkedLeg {
  return { phase: 'trying', places, at: 0, isHungUp: false };
}

export const trunkedLegMachine: Machine<TrunkedLeg, TrunkedLegInput, TrunkedLegEffect> = { step };

function step(leg: TrunkedLeg, input: TrunkedLegInput, now: Instant): LegStep {
  switch (input.type) {
    case 'dialled':
      return tryPlace(leg, now);
    case 'ringing':
      return taken(leg, 'leg-ringing');
    case 'answered':
      return taken(leg, 'leg-answered');
    case 'ended':
      return ended(leg, input.end, now);
    case 'hang-up':
      return hangUp(leg);
    case 'timer-fired':
      return leg.phase === 'trying'
        ? { state: { ...leg, phase: 'giving-up' }, effects: [{ do: 'hang-up' }] }
        : stay(leg);
  }
}

function tryPlace(leg: TrunkedLeg, now: Instant): LegStep {
  const invite = { do: 'invite', at: leg.at } as const;
  // The last one may be as silent as the ring timeout of the call allows.
  return {
    state: { ...leg, phase: 'trying' },
    effects: isLast(leg) ? [invite] : [{ do: 'start-timer', at: now + silentMs }, invite],
  };
}

/** An answer that crosses our giving up is hung up by signalling, and nobody hears of it. */
function taken(leg: TrunkedLeg, notice: 'leg-ringing' | 'leg-answered'): LegStep {
  if (leg.phase === 'trying') {
    return {
      state: { ...leg, phase: 'taken' },
      effects: [{ do: 'cancel-timer' }, { do: 'tell', notice }],
    };
  }
  return leg.phase === 'taken' ? { state: leg, effects: [{ do: 'tell', notice }] } : stay(leg);
}

function ended(leg: TrunkedLeg, end: LegEnd, now: Instant): LegStep {
  if (leg.phase === 'ended') return stay(leg);
  const failure = leg.phase === 'taken' || leg.isHungUp ? undefined : failureOf(leg, end);
  if (failure === undefined) {
    return {
      state: { ...leg, phase: 'ended' },
      effects: [{ do: 'cancel-timer' }, { do: 'tell-end', end }],
    };
  }
  const told: readonly TrunkedLegEffect[] = [
    { do: 'cancel-timer' },
    { do: 'tell-failed', at: leg.at, because: failure, end },
  ];
  if (isLast(leg)) return { state: { ...leg, phase: 'ended' }, effects: [...told, { do: 'tell-end', end }] };
  const { state, effects } = tryPlace({ ...leg, at: leg.at + 1 }, now);
  return { state, effects: [...told, ...effects] };
}

function failureOf(leg: TrunkedLeg, end: LegEnd): PlaceFailure | undefined {
  if (leg.phase === 'giving-up') return 'silent';
  switch (end.by) {
    case 'no-response':
      return 'silent';
    case 'transport-failed':
      return 'transport-failed';
    case 'rejected': {
      const status = end.sipStatus ?? 0;
      return status === 408 || (status >= 500 && status < 600) ? 'rejected' : undefined;
    }
    default:
      return undefined;
  }
}

function hangUp(leg: TrunkedLeg): LegStep {
  if (leg.isHungUp || leg.phase === 'ended') return stay(leg);
  const state = { ...leg, isHungUp: true };
  // While it is given up it is hung up already.
  return leg.phase === 'giving-up' ? stay(state) : { state, effects: [{ do: 'hang-up' }] };
}

function isLast({ at, places }: TrunkedLeg): boolean {
  return at === places - 1;
}

function stay(state: TrunkedLeg): LegStep {
  return { state, effects: [] };
}
