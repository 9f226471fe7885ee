import type { Instant } from '@jackfield/ports';
import type { CallStep } from '../../calls/index.ts';

/** What happened to the calls of an account in a minute, as far as it is not written yet. */
export interface MinuteCounts {
  readonly account: string;
  /** Its beginning. */
  readonly minute: Instant;
  attempts: number;
  answered: number;
  ended: number;
  mosSum: number;
  mosCount: number;
  readonly causes: Map<string, number>;
}

export const minuteMs = 60_000;

/** Counts of all accounts by minute, in memory. Callers drain it every few seconds: it holds two minutes of each busy account. */
export function createMinuteCounts() {
  let counts = new Map<string, MinuteCounts>();

  function of(account: string, at: Instant): MinuteCounts {
    const minute = Math.floor(at / minuteMs) * minuteMs;
    const key = `${account} ${minute}`;
    const known = counts.get(key);
    if (known !== undefined) return known;
    const fresh: MinuteCounts = {
      ...{ account, minute, attempts: 0, answered: 0, ended: 0, mosSum: 0, mosCount: 0 },
      causes: new Map(),
    };
    counts.set(key, fresh);
    return fresh;
  }

  function addTo(account: string, step: CallStep): void {
    const count = of(account, step.at);
    if (step.type === 'ended') addEnd(count, step);
    else count[step.type === 'begun' ? 'attempts' : 'answered'] += 1;
  }

  return {
    /** A main account counts the calls of its subaccounts as well. */
    add(step: CallStep): void {
      addTo(step.mainAccount, step);
      if (step.account !== step.mainAccount) addTo(step.account, step);
    },
    /** Takes all counts out, in one order for all processes: two that write the same rows do not wait for each other in a circle. */
    drain(): readonly MinuteCounts[] {
      const taken = [...counts.values()];
      counts = new Map();
      return taken.sort(inOrder);
    },
    size: () => counts.size,
  };
}

function addEnd(count: MinuteCounts, { cause, mos }: Extract<CallStep, { readonly type: 'ended' }>): void {
  count.ended += 1;
  count.causes.set(cause, (count.causes.get(cause) ?? 0) + 1);
  if (mos === null) return;
  count.mosSum += mos;
  count.mosCount += 1;
}

function inOrder(one: MinuteCounts, other: MinuteCounts): number {
  if (one.account !== other.account) return one.account < other.account ? -1 : 1;
  return one.minute - other.minute;
}
