import type { Clock, Database, Instant, Logger } from '@jackfield/ports';
import type { OutboxConsumer } from './outbox-consumer.ts';
import { OutboxDeliveries } from './outbox-deliveries.ts';
import { DueEvents } from './outbox-due-events.ts';
import { FailurePause } from './outbox-failure-pause.ts';
import { OutboxLanes } from './outbox-lanes.ts';
import type { OutboxLimits } from './outbox-limits.ts';
import { LookSchedule } from './outbox-look-schedule.ts';
import { OutboxPruning } from './outbox-pruning.ts';
import type { OutboxStore } from './outbox-store.ts';
import { createOutcomeRecords } from './outcome-records.ts';

export interface OutboxPump {
  /** An event may be due: looks at once. */
  wake(): void;
  /** Looks at `at`, unless a look is due earlier. */
  wakeAt(at: Instant): void;
  /** Makes the oldest `slots` events of the lane due; resolves with their number. */
  resume(lane: string, slots: number): Promise<number>;
  /** Resolves when no look and no delivery is going on. */
  idle(): Promise<void>;
  /** Starts no further delivery, and waits for deliveries in flight. */
  close(): Promise<void>;
}

export interface OutboxPumpDeps {
  readonly database: Database;
  readonly store: OutboxStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: OutboxLimits;
  /** No other process uses this database: an event set aside at the start belongs to a process that is gone. */
  readonly isAlone: boolean;
  /** Of several processes only one removes old events. */
  readonly mayPrune: () => boolean;
  /** Absent: events are kept, and pruned like delivered ones. */
  readonly consumer: OutboxConsumer | undefined;
}

export function startOutboxPump(deps: OutboxPumpDeps): OutboxPump {
  const { database, store, clock, limits, consumer } = deps;
  const failurePause = new FailurePause(clock, limits.lookEveryMs);
  const schedule = new LookSchedule(deps, limits.lookEveryMs);
  const shared = { ...deps, schedule, failurePause };
  const lanes = new OutboxLanes({ ...shared, longestAsideMs: limits.longestAsideMs });
  const record = createOutcomeRecords(database, store, clock);
  const deliveries = new OutboxDeliveries({ ...shared, lanes, record });
  const dueEvents = new DueEvents({ ...shared, deliveries });
  const pruning = new OutboxPruning({ ...deps, unfinishedToo: consumer === undefined });

  async function look(): Promise<Instant> {
    const now = clock.now();
    if (now >= pruning.dueAt && (await pruning.prune(now))) schedule.wake();
    if (consumer === undefined) return pruning.dueAt;
    const free = limits.concurrency - deliveries.size;
    const regularly = Math.min(now + limits.lookEveryMs, pruning.dueAt);
    // The end of a delivery looks again.
    if (free <= 0) return regularly;
    const { events, next } = await dueEvents.find(now, free);
    deliveries.start(events, consumer);
    return Math.min(next ?? regularly, regularly);
  }

  async function idle(): Promise<void> {
    while (schedule.looking !== undefined || deliveries.size > 0 || !lanes.isIdle) {
      await schedule.looking;
      await deliveries.settled();
      await lanes.settled();
    }
  }

  schedule.start(look);
  return {
    wake: () => schedule.wake(),
    wakeAt: (at) => schedule.wakeAt(at),
    resume: (lane, slots) => lanes.resume(lane, slots),
    idle,
    close() {
      schedule.close();
      failurePause.close();
      return idle();
    },
  };
}
