import type { Clock, Database, Logger, UnitOptions, Write } from '@jackfield/ports';
import { createKeyedQueue } from './keyed-queue.ts';
import type { FailurePause } from './outbox-failure-pause.ts';
import type { LookSchedule } from './outbox-look-schedule.ts';
import type { OutboxStore, StoredEvent } from './outbox-store.ts';

export interface OutboxLanesDeps {
  readonly database: Database;
  readonly store: OutboxStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly schedule: Pick<LookSchedule, 'isClosed' | 'wake'>;
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

  /** Makes the oldest `slots` events of the lane due; resolves with their number. Rejects only when the outbox is closed meanwhile. */
  resume(lane: string, slots: number): Promise<number> {
    const resuming = this.#resumeAtLast(lane, slots)
      .then((resumed) => {
        if (resumed > 0) this.#deps.schedule.wake();
        return resumed;
      })
      .finally(() => this.#resuming.delete(resuming));
    this.#resuming.add(resuming);
    return resuming;
  }

  /** Repeated until it is written: the events would stay aside for `longestAsideMs`. */
  async #resumeAtLast(lane: string, slots: number): Promise<number> {
    const { database, store, clock, log, schedule, failurePause } = this.#deps;
    const unit = (write: Write) => store.resume(write, lane, slots, clock.now());
    for (;;) {
      try {
        return await this.#writes.run(lane, () => database.transact(unit, unitOf(lane)));
      } catch (err) {
        if (schedule.isClosed) throw err;
        log.error({ err, lane }, 'events that were set aside not resumed; retried later');
        await failurePause.wait();
      }
    }
  }

  get isIdle(): boolean {
    return this.#resuming.size === 0;
  }

  /** Resolves when no lane is being resumed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#resuming);
  }
}
