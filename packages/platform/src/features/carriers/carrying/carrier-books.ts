import type { Clock, Instant, Logger } from '@jackfield/ports';
import type { Usage } from '../../usage/index.ts';
import { type CarrierUse, reserve, settle, spend, unusedCarrier } from '../domain/caps.ts';
import type { Carrier } from '../domain/carrier.ts';
import type { PassedOver } from '../domain/passed-over.ts';
import type { CarrierStore } from '../store.ts';
import { createCallCosts } from './call-costs.ts';

export interface CarrierBooksDeps {
  readonly carriers: readonly Carrier[];
  readonly usage: Usage;
  readonly store: CarrierStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A call before it is placed. */
export interface PricedCall {
  readonly leg: string;
  readonly number: string;
  /** From the answer on. */
  readonly timeLimitSeconds: number;
}

/** The use of each carrier, within its caps: alone on the database (`createCarrierBooks`), or as one of several processes (`createGrantedBooks`). */
export interface CarrierBooks {
  /** Reserves a call and its worst-case cost. The promise resolves when the reservation would survive a restart, or with a cap. */
  reserve(carrier: Carrier, call: PricedCall): PassedOver | Promise<PassedOver | undefined>;
  /** Once for each reservation. */
  settle(carrier: Carrier, call: PricedCall, answeredMs: number): void;
  /** Of this process. */
  liveCalls(carrier: string): number;
  /** Settles the calls of an incarnation that has ended. */
  settleOrphans(incarnation: number): Promise<void>;
  /** Reads what was spent before this process. */
  restore(): Promise<void>;
  /** Returns what this process no longer uses; resolves when no request is under way. */
  close(): Promise<void>;
}

const minuteMs = 60_000;

export function createCarrierBooks(deps: CarrierBooksDeps): CarrierBooks {
  const { usage, store, clock, log } = deps;
  const uses = new Map<string, CarrierUse>();
  for (const { name, caps } of deps.carriers) uses.set(name, unusedCarrier(caps, clock.now()));

  const costs = createCallCosts(usage);
  let isRestored = false;

  function count(carrier: string, cost: number, at: Instant): void {
    const use = uses.get(carrier);
    if (use !== undefined) uses.set(carrier, spend(use, cost, at));
  }

  const useOf = (name: string, now: Instant, caps: Carrier['caps']) =>
    uses.get(name) ?? unusedCarrier(caps, now);

  return {
    reserve({ name, caps }, { leg, number, timeLimitSeconds }) {
      const now = clock.now();
      const worstCase = costs.worstCase(number, timeLimitSeconds);
      // A number without a price escapes the cap: the operator's table must have its rate.
      if (caps.spendPerHour !== undefined && !costs.isPriced(number)) return 'unrated';
      const admitted = reserve(caps, useOf(name, now, caps), worstCase, now);
      if (!admitted.ok) return admitted.reached;
      uses.set(name, admitted.use);
      if (caps.spendPerHour === undefined) return Promise.resolve(undefined);
      return store
        .reserve({ leg, carrier: name, number, reserved_at: now, worst_case: worstCase })
        .then(() => undefined);
    },
    settle({ name, caps }, { leg, number, timeLimitSeconds }, answeredMs) {
      const now = clock.now();
      const cost = costs.of(number, answeredMs);
      uses.set(name, settle(useOf(name, now, caps), costs.worstCase(number, timeLimitSeconds), cost, now));
      if (caps.spendPerHour === undefined) return;
      store.settle(leg, name, cost, now).catch((error: unknown) => {
        log.error({ leg, carrier: name, err: error }, 'cost of a call not recorded');
      });
    },
    liveCalls: (carrier) => uses.get(carrier)?.concurrent ?? 0,
    async settleOrphans(incarnation) {
      const now = clock.now();
      for (const call of await store.unsettledOf(incarnation)) {
        const { leg, carrier } = call;
        const cost = costs.ofOrphan(call, now);
        // Before that `restore` finds the cost in the database.
        if (isRestored) count(carrier, cost, now);
        await store.settle(leg, carrier, cost, now);
      }
      await store.removeGrants(incarnation);
    },
    async restore() {
      const now = clock.now();
      for (const { carrier, cost, settled_at } of await store.settledRecently(now)) {
        count(carrier, cost ?? 0, settled_at ?? 0);
      }
      for (const { carrier, minute, units } of await store.spentByNodes(now)) {
        count(carrier, units, minute * minuteMs);
      }
      isRestored = true;
    },
    close: () => Promise.resolve(),
  };
}
