import type { Instant, LegEnd, Machine, Step } from '@jackfield/ports';
import type { PlaceEffect, PlaceInput } from '../../../kernel/layered-legs.ts';
import type { CapReached } from './caps.ts';

/** Why a carrier was not even asked. */
export type PassedOver = CapReached | 'unreachable' | 'caller-id' | 'unrated' | 'broken';

/** A carrier that did not take the call, and why. */
export interface Tried {
  readonly carrier: string;
  readonly because: PassedOver | 'rejected' | 'silent' | 'transport-failed';
  readonly sipStatus?: number;
}

/**
 * An outbound leg on its way through carriers, one after another.
 *
 *   reserving ⇄ trying → giving-up → reserving …
 *                  ╰────▶ taken ▶ ended
 *
 * It goes on to the next carrier after 408, 5xx, a failed transport and silence; never once it rang or was answered.
 */
export interface CarriedLeg {
  readonly phase: 'reserving' | 'trying' | 'giving-up' | 'taken' | 'ended';
  /** In the order in which they are tried; the first is the one of now. */
  readonly carriers: readonly CarrierOnTheWay[];
  readonly tried: readonly Tried[];
  readonly isHungUp: boolean;
  readonly answeredAt: Instant | null;
}

export interface CarrierOnTheWay {
  readonly name: string;
  readonly ringingWithinMs: number;
}

/** What is of carriers alone. */
export type CarrierInput =
  /** The worst-case cost is on the books. */
  { readonly type: 'reserved' } | { readonly type: 'passed-over'; readonly because: PassedOver };

export type CarrierEffect =
  | { readonly do: 'reserve'; readonly carrier: string }
  /** What was reserved is settled by what was used. */
  | { readonly do: 'settle'; readonly carrier: string; readonly answeredMs: number }
  | { readonly do: 'invite'; readonly carrier: string }
  /** The call goes on to the next carrier, or nowhere: for the feed. */
  | { readonly do: 'tell-passed'; readonly tried: Tried };

export type CarriedLegInput = CarrierInput | PlaceInput;
export type CarriedLegEffect = CarrierEffect | PlaceEffect;

type LegStep = Step<CarriedLeg, CarriedLegEffect>;

export function newCarriedLeg(carriers: readonly CarrierOnTheWay[]): CarriedLeg {
  return { phase: 'reserving', carriers, tried: [], isHungUp: false, answeredAt: null };
}

export const carriedLegMachine: Machine<CarriedLeg, CarriedLegInput, CarriedLegEffect> = { step };

function step(leg: CarriedLeg, input: CarriedLegInput, now: Instant): LegStep {
  switch (input.type) {
    case 'dialled':
      return reserveNext(leg);
    case 'reserved':
      return reserved(leg, now);
    case 'passed-over':
      return leg.phase === 'reserving'
        ? nextAfter(leg, { carrier: nameOf(leg), because: input.because }, [])
        : stay(leg);
    case 'ringing':
      return leg.phase === 'trying' ? taken(leg, 'leg-ringing') : stay(leg);
    case 'answered':
      return answered(leg, now);
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

function reserveNext(leg: CarriedLeg): LegStep {
  const [carrier] = leg.carriers;
  if (carrier === undefined) return over(leg, endOfRefusal(leg), []);
  return { state: { ...leg, phase: 'reserving' }, effects: [{ do: 'reserve', carrier: carrier.name }] };
}

function reserved(leg: CarriedLeg, now: Instant): LegStep {
  const [carrier] = leg.carriers;
  if (leg.phase !== 'reserving' || carrier === undefined) return stay(leg);
  const { name } = carrier;
  if (leg.isHungUp) return over(leg, { by: 'local' }, [{ do: 'settle', carrier: name, answeredMs: 0 }]);
  return {
    state: { ...leg, phase: 'trying' },
    effects: [
      { do: 'start-timer', at: now + carrier.ringingWithinMs },
      { do: 'invite', carrier: name },
    ],
  };
}

function taken(leg: CarriedLeg, notice: 'leg-ringing' | 'leg-answered'): LegStep {
  return {
    state: { ...leg, phase: 'taken' },
    effects: [{ do: 'cancel-timer' }, { do: 'tell', notice }],
  };
}

function answered(leg: CarriedLeg, now: Instant): LegStep {
  if (leg.answeredAt !== null) return stay(leg);
  const answering = { ...leg, answeredAt: now };
  if (leg.phase === 'trying') return taken(answering, 'leg-answered');
  return leg.phase === 'taken'
    ? { state: answering, effects: [{ do: 'tell', notice: 'leg-answered' }] }
    : { state: answering, effects: [] };
}

function ended(leg: CarriedLeg, end: LegEnd, now: Instant): LegStep {
  if (leg.phase === 'reserving' || leg.phase === 'ended') return stay(leg);
  const carrier = nameOf(leg);
  const answeredMs = leg.answeredAt === null ? 0 : Math.max(1, now - leg.answeredAt);
  const settling: readonly CarriedLegEffect[] = [
    { do: 'cancel-timer' },
    { do: 'settle', carrier, answeredMs },
  ];
  const failure = leg.phase === 'taken' || leg.isHungUp ? undefined : failureOf(leg, end);
  if (failure !== undefined) return nextAfter(leg, { carrier, ...failure }, settling);
  return over(leg, { ...end, carrier }, settling);
}

/** What sends the call to the next carrier (design.md §5: 408 and 5xx; and whoever says nothing at all). */
function failureOf(leg: CarriedLeg, end: LegEnd): Omit<Tried, 'carrier'> | undefined {
  if (leg.phase === 'giving-up' && leg.answeredAt === null) return { because: 'silent' };
  switch (end.by) {
    case 'no-response':
      return { because: 'silent' };
    case 'transport-failed':
      return { because: 'transport-failed' };
    case 'rejected': {
      const status = end.sipStatus ?? 0;
      return status === 408 || (status >= 500 && status < 600)
        ? { because: 'rejected', sipStatus: status }
        : undefined;
    }
    default:
      return undefined;
  }
}

function nextAfter(leg: CarriedLeg, tried: Tried, before: readonly CarriedLegEffect[]): LegStep {
  const left = { ...leg, carriers: leg.carriers.slice(1), tried: [...leg.tried, tried] };
  const told: readonly CarriedLegEffect[] = [...before, { do: 'tell-passed', tried }];
  if (left.isHungUp) return over(left, { by: 'local' }, told);
  const { state, effects } = reserveNext(left);
  return { state, effects: [...told, ...effects] };
}

function hangUp(leg: CarriedLeg): LegStep {
  if (leg.isHungUp || leg.phase === 'ended') return stay(leg);
  const state = { ...leg, isHungUp: true };
  // While the books are written nobody has been called; `reserved` and `passed-over` find the wish.
  if (leg.phase === 'reserving' || leg.phase === 'giving-up') return stay(state);
  return { state, effects: [{ do: 'hang-up' }] };
}

function over(leg: CarriedLeg, end: LegEnd, before: readonly CarriedLegEffect[]): LegStep {
  return { state: { ...leg, phase: 'ended' }, effects: [...before, { do: 'tell-end', end }] };
}

/** Every carrier was passed over or has failed: the last failure of one that was asked says why, else the first cap. */
function endOfRefusal({ tried }: CarriedLeg): LegEnd {
  const failed = tried.findLast(({ because }) =>
    ['rejected', 'silent', 'transport-failed'].includes(because),
  );
  switch (failed?.because) {
    case 'rejected':
      return { by: 'rejected', carrier: failed.carrier, sipStatus: failed.sipStatus ?? 503 };
    case 'silent':
      return { by: 'no-response', carrier: failed.carrier };
    case 'transport-failed':
      return { by: 'transport-failed', carrier: failed.carrier };
    default:
      break;
  }
  const first = tried.find(({ because }) => because !== 'unreachable')?.because;
  switch (first) {
    case 'calls-per-second':
    case 'concurrent-calls':
    case 'spend-per-hour':
    case 'caller-id':
      return { by: 'not-carried', refusal: first };
    case 'broken':
      return { by: 'media-failed' };
    default:
      return { by: 'not-carried', refusal: 'no-route' };
  }
}

function nameOf({ carriers }: CarriedLeg): string {
  return carriers[0]?.name ?? '';
}

function stay(state: CarriedLeg): LegStep {
  return { state, effects: [] };
}
