import type { Instant } from '@jackfield/ports';
import type { CarrierCaps } from './carrier.ts';

/** What a node may use of a carrier's caps: calls at once, and cost in 1e-5 units. */
export interface Budget {
  readonly calls: number;
  readonly units: number;
}

/** A node's request for a budget. Both budgets are totals: a repetition after a lost answer has the same effect. */
export interface BudgetRequest {
  /** What the node uses, or may use before the answer: never refused, because the caps include it already. */
  readonly keep: Budget;
  /** At least `keep`. */
  readonly need: Budget;
  /** Calls that begin at once when they are granted. */
  readonly starts: number;
}

/** What all other nodes hold, and what ended calls of the last hour cost. */
export interface TakenBudget {
  readonly held: Budget;
  readonly spent: number;
}

/** Calls that may begin, over all nodes. */
export interface StartTokens {
  readonly tokens: number;
  readonly refilledAt: Instant;
}

/** A budget larger than the need by this share of the cap: the next calls need no request. */
const reserveShare = 1 / 16;
/** The rest after the share: calls reach the caps, reserves do not. */
const reserveOfFree = 1 / 4;

/**
 * How long a granted start may be used, from the request on. The rate of starts at the carrier then exceeds that of the grants
 * within this time, and `startRate` allows for it.
 */
export const startWithinMs = 500;

/** The budget of a node: the sum over all nodes and the spend of the last hour never exceed the caps. */
export function grantOf(caps: CarrierCaps, taken: TakenBudget, { keep, need }: BudgetRequest): Budget {
  return {
    calls: granted(caps.concurrentCalls, taken.held.calls, keep.calls, need.calls),
    units: granted(caps.spendPerHour, taken.held.units + taken.spent, keep.units, need.units),
  };
}

function granted(cap: number | undefined, taken: number, keep: number, need: number): number {
  if (cap === undefined) return 0;
  const free = cap - taken;
  if (need <= keep) return keep;
  const reserve = Math.floor(Math.min(cap * reserveShare, (free - need) * reserveOfFree));
  // A reserve that is too small for another such request would lie idle, and other nodes would lack it.
  return Math.max(keep, Math.min(free, need) + (reserve < need - keep ? 0 : reserve));
}

/**
 * Gives starts to the calls that wait for one. However late within `startWithinMs` the nodes use them, the carrier sees at most a second's
 * worth of calls at once (at least one), and `callsPerSecond` after that.
 */
export function takeStarts(
  { callsPerSecond }: Pick<CarrierCaps, 'callsPerSecond'>,
  before: StartTokens | undefined,
  asked: number,
  now: Instant,
): StartTokens & { readonly starts: number } {
  if (callsPerSecond === undefined) return { tokens: 0, refilledAt: now, starts: asked };
  const { perMs, burst } = startRate(callsPerSecond);
  // The clock of the database may have been set back.
  const elapsedMs = before === undefined ? 0 : Math.max(0, now - before.refilledAt);
  const tokens = Math.min(burst, (before?.tokens ?? burst) + elapsedMs * perMs);
  const starts = Math.min(asked, Math.floor(tokens));
  return { tokens: tokens - starts, refilledAt: now, starts };
}

function startRate(callsPerSecond: number): { readonly perMs: number; readonly burst: number } {
  const perMs = callsPerSecond / 1000;
  const burst = callsPerSecond - perMs * startWithinMs;
  if (burst >= 1) return { perMs, burst };
  // A slow carrier gets its starts one by one, further apart by the time in which they may be used.
  return { perMs: 1 / (1 / perMs + startWithinMs), burst: 1 };
}
