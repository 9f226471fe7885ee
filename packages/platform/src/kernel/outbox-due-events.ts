import type { Clock, Database, Instant } from '@jackfield/ports';
import type { OutboxDeliveries } from './outbox-deliveries.ts';
import type { OutboxLimits } from './outbox-limits.ts';
import type { LookSchedule } from './outbox-look-schedule.ts';
import { type OutboxStore, rowsPerTransaction, type StoredEvent } from './outbox-store.ts';

export interface DueEventsDeps {
  readonly database: Database;
  readonly store: OutboxStore;
  readonly clock: Clock;
  readonly limits: OutboxLimits;
  /** See `OutboxPumpDeps`. */
  readonly isAlone: boolean;
  readonly schedule: Pick<LookSchedule, 'isClosed'>;
  readonly deliveries: Pick<OutboxDeliveries, 'size' | 'beginLook' | 'has'>;
}

export interface DueFound {
  readonly events: readonly StoredEvent[];
  /** When the next event is due, if one is known. */
  readonly next: Instant | undefined;
}

/** Finds due events: claimed in the database where several processes deliver, known in memory where one does. */
export class DueEvents {
  readonly #deps: DueEventsDeps;
  #isReleased: boolean;

  constructor(deps: DueEventsDeps) {
    this.#deps = deps;
    this.#isReleased = !deps.isAlone;
  }

  async find(now: Instant, limit: number): Promise<DueFound> {
    if (!this.#isReleased) await this.#release(now);
    return this.#deps.isAlone ? this.#findAlone(now, limit) : this.#claim(now, limit);
  }

  async #claim(now: Instant, limit: number): Promise<DueFound> {
    const { store, limits } = this.#deps;
    // Most looks find nothing: they open no transaction.
    const next = (await store.armed(1))[0]?.next_attempt_at;
    if (next === undefined || next > now) return { events: [], next };
    const events = await store.claim(now, now + limits.leaseMs, limit);
    if (events.length === limit) return { events, next: undefined };
    return { events, next: (await store.armed(1))[0]?.next_attempt_at };
  }

  async #findAlone(now: Instant, limit: number): Promise<DueFound> {
    const { store, deliveries } = this.#deps;
    deliveries.beginLook();
    // Events in flight are due as well, and stand in front.
    const armed = await store.armed(deliveries.size + limit + 1);
    const open = armed.filter(({ id }) => !deliveries.has(id));
    const due = open.filter((each) => each.next_attempt_at <= now).slice(0, limit);
    const found = await Promise.all(due.map(({ id }) => store.find(id)));
    const events = found.filter((event) => event !== undefined);
    return { events, next: open.find((each) => each.next_attempt_at > now)?.next_attempt_at };
  }

  /** Makes due what the last process had claimed or set aside. */
  async #release(now: Instant): Promise<void> {
    const { database, store, limits, schedule } = this.#deps;
    for (let left = 1; left > 0 && !schedule.isClosed; ) {
      left = await database.transact((write) => store.release(write, rowsPerTransaction, now), {
        isolation: 'read-committed',
      });
    }
    // The clock may have been set back since they were postponed.
    await database.transact((write) => store.bringForward(write, now + limits.longestPauseMs), {
      isolation: 'read-committed',
    });
    this.#isReleased = true;
  }
}
