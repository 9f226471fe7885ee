import type { Instant } from '@jackfield/ports';
import type { CarrierCaps } from './carrier.ts';

/** The use of a carrier that its caps limit. */
export interface CarrierUse {
  /** Calls that may begin at once; refilled by `callsPerSecond`, up to a second's worth and at least one. */
  readonly tokens: number;
  readonly tokensAt: Instant;
  readonly concurrent: number;
  /** Worst-case cost of the calls that have not ended, in 1e-5 units. */
  readonly reserved: number;
  /** Cost of ended calls, by the minute of their end; nothing older than an hour. */
  readonly spent: readonly SpentMinute[];
}

export interface SpentMinute {
  readonly minute: number;
  readonly units: number;
}

/** The cap that refuses a call. */
export type CapReached = 'calls-per-second' | 'concurrent-calls' | 'spend-per-hour';

export type Admitted =
  | { readonly ok: true; readonly use: CarrierUse }
  | { readonly ok: false; readonly reached: CapReached };

const minuteMs = 60_000;
const windowMinutes = 60;

export function unusedCarrier(caps: CarrierCaps, now: Instant): CarrierUse {
  return { tokens: burstOf(caps), tokensAt: now, concurrent: 0, reserved: 0, spent: [] };
}

/** Reserves a call that costs at most `worstCase`; the spend cap holds even when every call lasts to its limit. */
export function reserve(caps: CarrierCaps, before: CarrierUse, worstCase: number, now: Instant): Admitted {
  const use = refilled(caps, before, now);
  if (caps.concurrentCalls !== undefined && use.concurrent >= caps.concurrentCalls) {
    return { ok: false, reached: 'concurrent-calls' };
  }
  if (caps.spendPerHour !== undefined && spentWithin(use) + use.reserved + worstCase > caps.spendPerHour) {
    return { ok: false, reached: 'spend-per-hour' };
  }
  if (caps.callsPerSecond !== undefined && use.tokens < 1) return { ok: false, reached: 'calls-per-second' };
  const tokens = caps.callsPerSecond === undefined ? use.tokens : use.tokens - 1;
  return {
    ok: true,
    use: { ...use, tokens, concurrent: use.concurrent + 1, reserved: use.reserved + worstCase },
  };
}

/** Ends the reservation of a call and counts its real cost instead. */
export function settle(before: CarrierUse, worstCase: number, cost: number, now: Instant): CarrierUse {
  const freed = {
    ...before,
    concurrent: Math.max(0, before.concurrent - 1),
    reserved: Math.max(0, before.reserved - worstCase),
  };
  return cost === 0 ? freed : spend(freed, cost, now);
}

/** Counts spend at the present or an earlier time, as a restart finds it in the database. */
export function spend(use: CarrierUse, units: number, at: Instant): CarrierUse {
  const minute = Math.floor(at / minuteMs);
  const known = use.spent.find((each) => each.minute === minute);
  const others = use.spent.filter((each) => each.minute !== minute);
  return { ...use, spent: [...others, { minute, units: units + (known?.units ?? 0) }] };
}

function refilled(caps: CarrierCaps, use: CarrierUse, now: Instant): CarrierUse {
  const oldest = Math.floor(now / minuteMs) - windowMinutes;
  const spent = use.spent.some(({ minute }) => minute < oldest)
    ? use.spent.filter(({ minute }) => minute >= oldest)
    : use.spent;
  if (caps.callsPerSecond === undefined || now <= use.tokensAt) return { ...use, spent };
  const gained = ((now - use.tokensAt) / 1000) * caps.callsPerSecond;
  return { ...use, spent, tokens: Math.min(burstOf(caps), use.tokens + gained), tokensAt: now };
}

function burstOf({ callsPerSecond }: CarrierCaps): number {
  return Math.max(1, callsPerSecond ?? 1);
}

/** The whole minute an hour ago counts: the window is up to a minute longer than an hour, never shorter. */
function spentWithin({ spent }: CarrierUse): number {
  return spent.reduce((sum, { units }) => sum + units, 0);
}
