import {
  type Instant,
  type LegEnd,
  type Machine,
  type RouteTarget,
  type Step,
  stay,
  type TargetFailure,
} from '@jackfield/ports';

/**
 * An outbound leg that is tried at several targets, one after another.
 *
 *   reserving ⇄ trying → giving-up → reserving …
 *                  ╰────▶ taken ▶ ended
 *
 * After 408, 5xx, a failed transport or silence the leg continues with the next target, and after 401 or 407, with which a target refuses our
 * credentials. It never does so once a target rang or answered, nor after another status, which is the decision of the called party. A silent target that has several addresses is silent at its last one
 * (RFC 3263 §4.3).
 */
export interface RoutedLeg {
  readonly phase: 'reserving' | 'trying' | 'giving-up' | 'taken' | 'ended';
  /** The longest silence of each target, in the order of trial. */
  readonly limits: readonly SilenceLimit[];
  /** The index of the current target. */
  readonly at: number;
  readonly isHungUp: boolean;
  readonly answeredAt: Instant | null;
  /** The end of the leg when no target is left. */
  readonly outcome: RouteEnd;
}

/** How long a target may be silent. */
export type SilenceLimit = Pick<RouteTarget, 'ringingWithinMs' | 'mayBeSilent'>;

/** An end, and the last target that was called; undefined where none was. */
export interface RouteEnd {
  readonly end: LegEnd;
  readonly at: number | undefined;
}

export type RoutedLegInput =
  | { readonly type: 'dialled' }
  /** The owner of the target admits the call. */
  | { readonly type: 'reserved' }
  | { readonly type: 'passed-over'; readonly end: LegEnd }
  | { readonly type: 'ringing' }
  | { readonly type: 'answered' }
  | { readonly type: 'ended'; readonly end: LegEnd }
  /** `completedElsewhere`: another phone has answered. */
  | { readonly type: 'hang-up'; readonly completedElsewhere?: boolean }
  | { readonly type: 'timer-fired' }
  /** The target may be silent until then, at its present address or at the next. */
  | { readonly type: 'waits'; readonly until: Instant }
  /** The target was silent at its last address, or has only sent 100. */
  | { readonly type: 'silent' };

export type RoutedLegEffect =
  /** Answered by `reserved` or `passed-over`. */
  | { readonly do: 'reserve'; readonly at: number }
  /** Once for each reservation. */
  | { readonly do: 'settle'; readonly at: number; readonly answeredMs: number }
  | { readonly do: 'invite'; readonly at: number }
  /** Calls the next address of a target that did not respond; answered by `waits` or `silent`. */
  | { readonly do: 'next-address'; readonly silentMs: number }
  | { readonly do: 'hang-up'; readonly completedElsewhere: boolean }
  | { readonly do: 'start-timer'; readonly at: Instant }
  | { readonly do: 'cancel-timer' }
  | { readonly do: 'report-failure'; readonly at: number; readonly failure: TargetFailure }
  | { readonly do: 'report'; readonly notice: 'leg-ringing' | 'leg-answered' }
  | ({ readonly do: 'report-end' } & RouteEnd);

type LegStep = Step<RoutedLeg, RoutedLegEffect>;

const noRoute: LegEnd = { by: 'not-carried', refusal: 'no-route' };

/** A leg before its first target; `limits` has one entry for each target. */
export function newRoutedLeg(limits: RoutedLeg['limits']): RoutedLeg {
  return {
    phase: 'reserving',
    limits,
    at: 0,
    isHungUp: false,
    answeredAt: null,
    outcome: { end: noRoute, at: undefined },
  };
}

/** The rule of failover, for carriers and for trunks. */
export const routedLegMachine: Machine<RoutedLeg, RoutedLegInput, RoutedLegEffect> = { step };

function step(leg: RoutedLeg, input: RoutedLegInput, now: Instant): LegStep {
  switch (input.type) {
    case 'dialled':
      return reserve(leg);
    case 'reserved':
      return reserved(leg, now);
    case 'passed-over':
      return passedOver(leg, input.end);
    case 'ringing':
      return leg.phase === 'trying' ? taken(leg, 'leg-ringing') : stay(leg);
    case 'answered':
      return answered(leg, now);
    case 'ended':
      return ended(leg, input.end, now);
    case 'hang-up':
      return hangUp(leg, input.completedElsewhere ?? false);
    case 'timer-fired':
    case 'waits':
    case 'silent':
      return leg.phase === 'trying' ? whileSilent(leg, input) : stay(leg);
  }
}

function whileSilent(
  leg: RoutedLeg,
  input: RoutedLegInput & { type: 'timer-fired' | 'waits' | 'silent' },
): LegStep {
  const { ringingWithinMs = 0, mayBeSilent = false } = leg.limits[leg.at]!;
  switch (input.type) {
    case 'timer-fired':
      return { state: leg, effects: [{ do: 'next-address', silentMs: ringingWithinMs }] };
    case 'waits':
      return { state: leg, effects: [{ do: 'start-timer', at: input.until }] };
    case 'silent':
      return mayBeSilent
        ? stay(leg)
        : { state: { ...leg, phase: 'giving-up' }, effects: [{ do: 'hang-up', completedElsewhere: false }] };
  }
}

function reserve(leg: RoutedLeg): LegStep {
  if (leg.at >= leg.limits.length) return over(leg, leg.outcome, []);
  return { state: { ...leg, phase: 'reserving' }, effects: [{ do: 'reserve', at: leg.at }] };
}

function reserved(leg: RoutedLeg, now: Instant): LegStep {
  if (leg.phase !== 'reserving') return stay(leg);
  const { at } = leg;
  if (leg.isHungUp) return over(leg, hungUp, [{ do: 'settle', at, answeredMs: 0 }]);
  const withinMs = leg.limits[at]?.ringingWithinMs;
  return {
    state: { ...leg, phase: 'trying' },
    effects: [
      ...(withinMs === undefined ? [] : [{ do: 'start-timer', at: now + withinMs } as const]),
      { do: 'invite', at },
    ],
  };
}

function passedOver(leg: RoutedLeg, end: LegEnd): LegStep {
  if (leg.phase !== 'reserving') return stay(leg);
  // The end of a called target takes precedence, then the first refusal, then a missing route.
  const { outcome } = leg;
  const isBetter = outcome.at === undefined && outcome.end.refusal === 'no-route';
  return next(leg, isBetter ? { end, at: undefined } : outcome, []);
}

function taken(leg: RoutedLeg, notice: 'leg-ringing' | 'leg-answered'): LegStep {
  return {
    state: { ...leg, phase: 'taken' },
    effects: [{ do: 'cancel-timer' }, { do: 'report', notice }],
  };
}

/** Signalling hangs up an answer that crosses our giving up: the leg continues with the next target, and nothing is reported. */
function answered(leg: RoutedLeg, now: Instant): LegStep {
  if (leg.answeredAt !== null) return stay(leg);
  const answering = { ...leg, answeredAt: now };
  if (leg.phase === 'trying') return taken(answering, 'leg-answered');
  return leg.phase === 'taken'
    ? { state: answering, effects: [{ do: 'report', notice: 'leg-answered' }] }
    : leg.phase === 'giving-up'
      ? { state: answering, effects: [] }
      : stay(leg);
}

function ended(leg: RoutedLeg, end: LegEnd, now: Instant): LegStep {
  if (leg.phase === 'reserving' || leg.phase === 'ended') return stay(leg);
  const { at } = leg;
  const answeredMs = leg.answeredAt === null ? 0 : Math.max(1, now - leg.answeredAt);
  const settling: readonly RoutedLegEffect[] = [{ do: 'cancel-timer' }, { do: 'settle', at, answeredMs }];
  const failure = leg.phase === 'taken' || leg.isHungUp ? undefined : failureOf(leg, end);
  if (failure === undefined) return over(leg, { end, at }, settling);
  const outcome = { end: leg.phase === 'giving-up' ? ({ by: 'no-response' } as const) : end, at };
  return next(leg, outcome, [...settling, { do: 'report-failure', at, failure }]);
}

/** RFC 3261 §21.4.2, §21.4.8: our credentials are missing or refused; §21.4.9: a proxy gave up. */
const failures: readonly number[] = [401, 407, 408];

/** The failures after which a call continues with the next target (docs/decisions/0014-carriers.md, docs/decisions/0016-numbers.md). */
function failureOf(leg: RoutedLeg, end: LegEnd): TargetFailure | undefined {
  if (leg.phase === 'giving-up') return { because: 'silent' };
  switch (end.by) {
    case 'no-response':
      return { because: 'silent' };
    case 'transport-failed':
      return { because: 'transport-failed' };
    case 'rejected': {
      const { sipStatus = 0, retryAfterSeconds } = end;
      const isFailure = failures.includes(sipStatus) || (sipStatus >= 500 && sipStatus < 600);
      return isFailure
        ? { because: 'rejected', sipStatus, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
        : undefined;
    }
    default:
      return undefined;
  }
}

function next(leg: RoutedLeg, outcome: RouteEnd, before: readonly RoutedLegEffect[]): LegStep {
  const left = { ...leg, at: leg.at + 1, answeredAt: null, outcome };
  if (left.isHungUp) return over(left, hungUp, before);
  const { state, effects } = reserve(left);
  return { state, effects: [...before, ...effects] };
}

const hungUp: RouteEnd = { end: { by: 'local' }, at: undefined };

function hangUp(leg: RoutedLeg, completedElsewhere: boolean): LegStep {
  if (leg.isHungUp || leg.phase === 'ended') return stay(leg);
  const state = { ...leg, isHungUp: true };
  // A reserved target has not been called yet, and a target that is given up is already hung up.
  if (leg.phase === 'reserving' || leg.phase === 'giving-up') return stay(state);
  return { state, effects: [{ do: 'hang-up', completedElsewhere }] };
}

function over(leg: RoutedLeg, how: RouteEnd, before: readonly RoutedLegEffect[]): LegStep {
  return { state: { ...leg, phase: 'ended' }, effects: [...before, { do: 'report-end', ...how }] };
}
