import type { Database, Instant } from '@jackfield/ports';
import type { OutboxDeliveries } from './outbox-deliveries.ts';
import type { OutboxLimits } from './outbox-limits.ts';
import type { LookSchedule } from './outbox-look-schedule.ts';
import { type OutboxStore, rowsPerTransaction, type StoredEvent } from './outbox-store.ts';

export interface DueEventsDeps {
  readonly database: Database;
  readonly store: OutboxStore;
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

/** Finds due events of this process. Those in flight are known in memory: no other process delivers them. */
export class DueEvents {
  readonly #deps: DueEventsDeps;
  #isPrepared = false;

  constructor(deps: DueEventsDeps) {
    this.#deps = deps;
  }

  async find(now: Instant, limit: number): Promise<DueFound> {
    const { store, deliveries } = this.#deps;
    if (!this.#isPrepared) await this.#prepare(now);
    deliveries.beginLook();
    // Events in flight are due as well, and stand in front.
    const armed = await store.armed(deliveries.size + limit + 1);
    const open = armed.filter(({ id }) => !deliveries.has(id));
    const due = open.filter((each) => each.next_attempt_at <= now).slice(0, limit);
    const found = await Promise.all(due.map(({ id }) => store.find(id)));
    const events = found.filter((event) => event !== undefined);
    return { events, next: open.find((each) => each.next_attempt_at > now)?.next_attempt_at };
  }

  /** Makes due what the last process had set aside; a takeover does it for an incarnation of several. */
  async #prepare(now: Instant): Promise<void> {
    const { database, store, limits, schedule, isAlone } = this.#deps;
    for (let left = isAlone ? 1 : 0; left > 0 && !schedule.isClosed; ) {
      left = await database.transact((write) => store.release(write, rowsPerTransaction, now), {
        isolation: 'read-committed',
      });
    }
    // The clock may have been set back since they were postponed.
    await database.transact((write) => store.bringForward(write, now + limits.longestPauseMs), {
      isolation: 'read-committed',
    });
    this.#isPrepared = true;
  }
}
