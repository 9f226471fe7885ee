import type { Clock, Logger } from '@jackfield/ports';
import type { Usage } from '../../usage/index.ts';
import { createCallCosts } from '../carrying/call-costs.ts';
import type { CarrierBooks } from '../carrying/carrier-books.ts';
import type { Carrier } from '../domain/carrier.ts';
import {
  type GrantBook,
  type GrantBookEffect,
  type GrantBookInput,
  grantBookMachine,
  newGrantBook,
} from '../domain/grant-book.ts';
import type { PassedOver } from '../domain/passed-over.ts';
import type { GrantStore } from './grant-store.ts';

export interface GrantedBooksDeps {
  readonly carriers: readonly Carrier[];
  readonly usage: Usage;
  readonly store: GrantStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The use of each carrier by one of several processes on a database: caps hold for all of them together. */
export function createGrantedBooks(deps: GrantedBooksDeps): CarrierBooks {
  const { usage, store, clock } = deps;
  const costs = createCallCosts(usage);
  const books = new Map(deps.carriers.map((carrier) => [carrier.name, new BookRunner(deps, carrier)]));

  return {
    reserve({ name, caps }, { leg, number, timeLimitSeconds }) {
      const worstCase = costs.worstCase(number, timeLimitSeconds);
      // A number without a price escapes the cap: the operator's table must have its rate.
      if (caps.spendPerHour !== undefined && !costs.isPriced(number)) return 'unrated';
      const admitted = books.get(name)?.admit(leg, worstCase) ?? Promise.resolve('broken' as const);
      // Also without a cap of the spend: the database refuses the row of a node that another one has ended.
      return admitted.then(async (reached) => {
        if (reached !== undefined) return reached;
        await store.reserve({ leg, carrier: name, number, reserved_at: clock.now(), worst_case: worstCase });
        return undefined;
      });
    },
    settle({ name }, { leg, number, timeLimitSeconds }, answeredMs) {
      const worstCase = costs.worstCase(number, timeLimitSeconds);
      books.get(name)?.step({ type: 'call-ended', leg, worstCase, cost: costs.of(number, answeredMs) });
    },
    liveCalls: (carrier) => books.get(carrier)?.live ?? 0,
    async settleOrphans(incarnation) {
      const now = clock.now();
      const orphans = await store.unsettledOf(incarnation);
      const carriers = new Set([
        ...orphans.map(({ carrier }) => carrier),
        ...(await store.carriersOf(incarnation)),
      ]);
      for (const name of carriers) {
        const ofCarrier = orphans.filter(({ carrier }) => carrier === name);
        const settled = ofCarrier.map((call) => ({ leg: call.leg, cost: costs.ofOrphan(call, now) }));
        await store.end(incarnation, name, settled, now);
      }
    },
    restore: () => store.moveSpendOfProcessAlone(clock.now()),
    async close() {
      await Promise.all([...books.values()].map((book) => book.close()));
    },
  };
}

/** Steps the machine of one carrier and carries its effects out. */
class BookRunner {
  readonly #deps: GrantedBooksDeps;
  readonly #carrier: Carrier;
  readonly #waiting = new Map<string, (reached: PassedOver | undefined) => void>();
  #state: GrantBook;
  #cancelTimer: (() => void) | undefined;
  #request: Promise<void> | undefined;

  constructor(deps: GrantedBooksDeps, carrier: Carrier) {
    this.#deps = deps;
    this.#carrier = carrier;
    this.#state = newGrantBook(carrier.caps, deps.clock.now());
  }

  get live(): number {
    return this.#state.live;
  }

  /** Resolves with undefined when the call may begin. */
  admit(leg: string, worstCase: number): Promise<PassedOver | undefined> {
    return new Promise((resolve) => {
      this.#waiting.set(leg, resolve);
      this.step({ type: 'call-requested', call: { leg, worstCase } });
    });
  }

  step(input: GrantBookInput): void {
    const { state, effects } = grantBookMachine.step(this.#state, input, this.#deps.clock.now());
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  async close(): Promise<void> {
    this.step({ type: 'closed' });
    while (this.#request !== undefined) await this.#request;
  }

  #perform(effect: GrantBookEffect): void {
    switch (effect.do) {
      case 'admit':
        this.#answer(effect.leg, undefined);
        return;
      case 'refuse':
        this.#answer(effect.leg, effect.reached);
        return;
      case 'request':
        this.#request = this.#send(effect);
        return;
      case 'start-timer':
        this.#cancelTimer = this.#deps.clock.startTimer(effect.at, () => {
          this.#cancelTimer = undefined;
          this.step({ type: 'timer-fired' });
        });
        return;
      case 'cancel-timer':
        this.#cancelTimer?.();
        this.#cancelTimer = undefined;
    }
  }

  #answer(leg: string, reached: PassedOver | undefined): void {
    this.#waiting.get(leg)?.(reached);
    this.#waiting.delete(leg);
  }

  async #send({ number, request, costs }: Extract<GrantBookEffect, { readonly do: 'request' }>) {
    const { store, clock, log } = this.#deps;
    let outcome: GrantBookInput;
    try {
      const carrier = this.#carrier;
      const granted = await store.request({ carrier, number, request, costs }, clock.now());
      outcome = { type: 'granted', ...granted };
    } catch (error) {
      log.error({ carrier: this.#carrier.name, err: error }, 'budget at a carrier not granted');
      outcome = { type: 'request-failed' };
    }
    // The step may send the next request.
    this.#request = undefined;
    this.step(outcome);
  }
}
