import type { Instant, Machine, Step } from '@jackfield/ports';
import type { CapReached } from './caps.ts';
import type { CarrierCaps } from './carrier.ts';
import { type Budget, type BudgetRequest, startWithinMs } from './grants.ts';

/**
 * The budget of one node at one carrier. The node spends only what the database has granted. What the node no longer counts as its own it does
 * not use again, whatever became of the message that returned it.
 */
export interface GrantBook {
  readonly caps: CarrierCaps;
  /** The database counts at least this for the node. */
  readonly held: Budget;
  /** Calls that have not ended with their worst-case cost, and costs that the database does not know. */
  readonly used: Budget;
  /** Calls that have not ended; `used` counts them where calls are capped. */
  readonly live: number;
  readonly waiting: readonly WaitingCall[];
  readonly unreported: readonly CallCost[];
  /** The request under way. */
  readonly asked: AskedBudget | undefined;
  /** Numbers the requests: a request that arrives behind a later request changes nothing. */
  readonly requests: number;
  /** A request has no answer: the database may count more for this node. */
  readonly isUncertain: boolean;
  readonly lastCallAt: Instant;
  readonly timerAt: Instant | undefined;
  readonly isClosed: boolean;
}

export interface WaitingCall {
  readonly leg: string;
  readonly worstCase: number;
}

/** Of an ended call. */
export interface CallCost {
  readonly leg: string;
  readonly cost: number;
}

interface AskedBudget {
  readonly at: Instant;
  /** The calls and costs at the front of `waiting` and `unreported` in the request. */
  readonly calls: number;
  readonly costs: number;
}

export type GrantBookInput =
  | { readonly type: 'call-requested'; readonly call: WaitingCall }
  | {
      readonly type: 'call-ended';
      readonly leg: string;
      readonly worstCase: number;
      readonly cost: number;
    }
  | { readonly type: 'granted'; readonly budget: Budget; readonly starts: number }
  | { readonly type: 'request-failed' }
  | { readonly type: 'timer-fired' }
  | { readonly type: 'closed' };

export type GrantBookEffect =
  | { readonly do: 'admit'; readonly leg: string }
  | { readonly do: 'refuse'; readonly leg: string; readonly reached: CapReached | 'broken' }
  | {
      readonly do: 'request';
      readonly number: number;
      readonly request: BudgetRequest;
      readonly costs: readonly CallCost[];
    }
  | { readonly do: 'start-timer'; readonly at: Instant }
  | { readonly do: 'cancel-timer' };

type BookStep = Step<GrantBook, GrantBookEffect>;

/** Costs are reported together. */
const reportAfterMs = 1_000;
/** A budget that no call has used for so long goes back to the other nodes. */
const idleMs = 5_000;
/** Of one request: a longer transaction would hold up the other nodes. */
const costsOfRequest = 200;

const nothing: Budget = { calls: 0, units: 0 };

export function newGrantBook(caps: CarrierCaps, now: Instant): GrantBook {
  return {
    caps,
    held: nothing,
    used: nothing,
    live: 0,
    waiting: [],
    unreported: [],
    asked: undefined,
    requests: 0,
    isUncertain: false,
    lastCallAt: now,
    timerAt: undefined,
    isClosed: false,
  };
}

export const grantBookMachine: Machine<GrantBook, GrantBookInput, GrantBookEffect> = { step };

function step(book: GrantBook, input: GrantBookInput, now: Instant): BookStep {
  switch (input.type) {
    case 'call-requested':
      return callRequested(book, input.call, now);
    case 'call-ended':
      return book.isClosed ? ask(callEnded(book, input), [], now) : later(callEnded(book, input), [], now);
    case 'granted':
      return budgetGranted(book, input.budget, input.starts, now);
    case 'request-failed':
      return requestFailed(book, now);
    case 'timer-fired':
      return ask({ ...book, timerAt: undefined }, [], now);
    case 'closed':
      return closed(book, now);
  }
}

function callRequested(book: GrantBook, call: WaitingCall, now: Instant): BookStep {
  if (book.isClosed) return { state: book, effects: [{ do: 'refuse', leg: call.leg, reached: 'broken' }] };
  const mayStart = book.caps.callsPerSecond === undefined && book.waiting.length === 0;
  if (mayStart && capReachedBy(book, call) === undefined)
    return later(admitted(book, call, now), [{ do: 'admit', leg: call.leg }], now);
  return ask({ ...book, waiting: [...book.waiting, call] }, [], now);
}

function callEnded(
  book: GrantBook,
  { leg, worstCase, cost }: Extract<GrantBookInput, { readonly type: 'call-ended' }>,
): GrantBook {
  const reported = { leg, cost: book.caps.spendPerHour === undefined ? 0 : cost };
  const used = withUse(book, -1, cost - worstCase);
  return { ...book, live: book.live - 1, used, unreported: [...book.unreported, reported] };
}

function budgetGranted(before: GrantBook, budget: Budget, starts: number, now: Instant): BookStep {
  const { asked } = before;
  if (asked === undefined) return { state: before, effects: [] };
  const reported = before.unreported.slice(0, asked.costs).reduce((sum, { cost }) => sum + cost, 0);
  let book: GrantBook = {
    ...before,
    held: budget,
    used: { ...before.used, units: before.used.units - reported },
    unreported: before.unreported.slice(asked.costs),
    waiting: before.waiting.slice(asked.calls),
    asked: undefined,
    isUncertain: false,
  };
  const isLate = before.caps.callsPerSecond !== undefined && now - asked.at > startWithinMs;
  let left = starts;
  const effects: GrantBookEffect[] = [];
  for (const call of before.waiting.slice(0, asked.calls)) {
    const reached = isLate
      ? 'broken'
      : (capReachedBy(book, call) ?? (left < 1 ? 'calls-per-second' : undefined));
    if (reached !== undefined) {
      effects.push({ do: 'refuse', leg: call.leg, reached });
      continue;
    }
    left--;
    book = admitted(book, call, now);
    effects.push({ do: 'admit', leg: call.leg });
  }
  return book.waiting.length > 0 || (book.isClosed && hasToReport(book))
    ? ask(book, effects, now)
    : later(book, effects, now);
}

function requestFailed(book: GrantBook, now: Instant): BookStep {
  const effects = book.waiting.map(({ leg }) => ({ do: 'refuse', leg, reached: 'broken' }) as const);
  return later({ ...book, asked: undefined, isUncertain: true, waiting: [] }, effects, now);
}

function closed(book: GrantBook, now: Instant): BookStep {
  const waiting = book.waiting.slice(book.asked?.calls ?? 0);
  const refused = waiting.map(({ leg }) => ({ do: 'refuse', leg, reached: 'broken' }) as const);
  const state = { ...book, isClosed: true, waiting: book.waiting.slice(0, book.asked?.calls ?? 0) };
  return ask({ ...state, timerAt: undefined }, [{ do: 'cancel-timer' }, ...refused], now);
}

/** Sends one request at a time: its totals would be wrong behind another one. */
function ask(before: GrantBook, effects: readonly GrantBookEffect[], now: Instant): BookStep {
  if (before.asked !== undefined) return { state: before, effects };
  const isIdle = before.waiting.length === 0 && (before.isClosed || now - before.lastCallAt >= idleMs);
  const book = isIdle ? { ...before, held: before.used } : before;
  const mustReturn = isIdle && (before.held.calls > book.held.calls || before.held.units > book.held.units);
  if (book.waiting.length === 0 && !hasToReport(book) && !mustReturn) return later(book, effects, now);
  const costs = book.unreported.slice(0, costsOfRequest);
  const reported = costs.reduce((sum, { cost }) => sum + cost, 0);
  const waitingUnits = book.waiting.reduce((sum, { worstCase }) => sum + worstCase, 0);
  const keep = { calls: book.held.calls, units: book.held.units - reported };
  const need = {
    calls: Math.max(keep.calls, book.used.calls + book.waiting.length),
    units: Math.max(keep.units, book.used.units - reported + waitingUnits),
  };
  const asked = { at: now, calls: book.waiting.length, costs: costs.length };
  const number = book.requests + 1;
  const request = { keep, need, starts: asked.calls };
  return {
    state: { ...book, asked, requests: number },
    effects: [...effects, { do: 'request', number, request, costs }],
  };
}

/** Starts the timer of the next report or return. */
function later(book: GrantBook, effects: readonly GrantBookEffect[], now: Instant): BookStep {
  if (book.timerAt !== undefined || book.isClosed) return { state: book, effects };
  const isUnused = book.held.calls > book.used.calls || book.held.units > book.used.units;
  if (!hasToReport(book) && !isUnused) return { state: book, effects };
  const at = hasToReport(book)
    ? now + reportAfterMs
    : Math.max(book.lastCallAt + idleMs, now + reportAfterMs);
  return { state: { ...book, timerAt: at }, effects: [...effects, { do: 'start-timer', at }] };
}

function hasToReport({ unreported, isUncertain }: GrantBook): boolean {
  return unreported.length > 0 || isUncertain;
}

function admitted(book: GrantBook, { worstCase }: WaitingCall, now: Instant): GrantBook {
  return { ...book, live: book.live + 1, used: withUse(book, 1, worstCase), lastCallAt: now };
}

/** Calls or units without a cap are not counted. */
function withUse({ caps, used }: GrantBook, calls: number, units: number): Budget {
  return {
    calls: caps.concurrentCalls === undefined ? 0 : used.calls + calls,
    units: caps.spendPerHour === undefined ? 0 : used.units + units,
  };
}

function capReachedBy({ caps, held, used }: GrantBook, { worstCase }: WaitingCall): CapReached | undefined {
  if (caps.concurrentCalls !== undefined && used.calls + 1 > held.calls) return 'concurrent-calls';
  if (caps.spendPerHour !== undefined && used.units + worstCase > held.units) return 'spend-per-hour';
  return undefined;
}
