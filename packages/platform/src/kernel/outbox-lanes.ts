import type { Clock, Database, Logger, UnitOptions } from '@jackfield/ports';
import { createKeyedQueue } from './keyed-queue.ts';
import type { FailurePause } from './outbox-failure-pause.ts';
import type { LookSchedule } from './outbox-look-schedule.ts';
import type { OutboxStore, StoredEvent } from './outbox-store.ts';

export interface OutboxLanesDeps {
  readonly database: Database;
  readonly store: OutboxStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly schedule: Pick<LookSchedule, 'wake'>;
  readonly failurePause: FailurePause;
  readonly longestAsideMs: number;
}

const unitOf = (lane: string): UnitOptions => ({ isolation: 'read-committed', key: lane });

/** Events that their consumer set aside, by lane. Writes of one lane run one after another. */
export class OutboxLanes {
  readonly #deps: OutboxLanesDeps;
  readonly #writes = createKeyedQueue();
  readonly #resuming = new Set<Promise<number>>();

  constructor(deps: OutboxLanesDeps) {
    this.#deps = deps;
  }

  /** Sets events aside, at most for `longestAsideMs`. A `resume` that comes meanwhile finds them. */
  async park(lane: string, events: readonly StoredEvent[]): Promise<void> {
    const { database, store, clock, log, longestAsideMs, failurePause } = this.#deps;
    const until = clock.now() + longestAsideMs;
    try {
      await this.#writes.run(lane, () =>
        database.transact((write) => store.park(write, lane, events, until), unitOf(lane)),
      );
    } catch (err) {
      log.error({ err, lane, events: events.length }, 'events not set aside; they stay due');
      await failurePause.wait();
    }
  }

  /** Makes the oldest `slots` events of the lane due; resolves with their number. */
  resume(lane: string, slots: number): Promise<number> {
    const { database, store, clock, schedule } = this.#deps;
    const resuming = this.#writes
      .run(lane, () =>
        database.transact((write) => store.resume(write, lane, slots, clock.now()), unitOf(lane)),
      )
      .then((resumed) => {
        if (resumed > 0) schedule.wake();
        return resumed;
      })
      .finally(() => this.#resuming.delete(resuming));
    this.#resuming.add(resuming);
    return resuming;
  }

  get isIdle(): boolean {
    return this.#resuming.size === 0;
  }

  /** Resolves when no lane is being resumed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#resuming);
  }
}
