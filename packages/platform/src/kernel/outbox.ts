import type { Clock, Database, Instant, Logger, Migration, Write } from '@jackfield/ports';
import { createCommitListeners } from './commit-listeners.ts';
import { continuePositions } from './event-positions.ts';
import type { OutboxEvent } from './kernel-effects.ts';
import { outboxTable } from './migrations/0001-outbox.ts';
import { outboxCallbacks } from './migrations/0002-outbox-callbacks.ts';
import { outboxEventStream } from './migrations/0003-event-feed.ts';
import { eventsByResource } from './migrations/0006-events-by-resource.ts';
import { outboxIncarnation } from './migrations/0008-outbox-incarnation.ts';
import { eventPositions } from './migrations/0011-event-positions.ts';
import type { Deliver, OutboxConsumer } from './outbox-consumer.ts';
import { type OutboxLimits, outboxLimits } from './outbox-limits.ts';
import { type OutboxPump, startOutboxPump } from './outbox-pump.ts';
import type { AppendedEvent } from './outbox-queries.ts';
import { createOutboxStore, rowsPerTransaction } from './outbox-store.ts';

export const outboxMigrations: readonly Migration[] = [
  outboxTable,
  outboxCallbacks,
  outboxEventStream,
  eventsByResource,
  outboxIncarnation,
  eventPositions,
];

/** Writes a record beside events that carry a callback, in their transaction. */
export type RecordAppended = (write: Write, events: readonly AppendedEvent[]) => Promise<void>;

/** Events that are written in the transaction of their change, and delivered at least once, in order for each ordered resource. */
export interface Outbox {
  /** Finds the positions of new events in the event stream; after the migrations, and before the first event of this process. */
  open(): Promise<void>;
  /** Inside the transaction of the change. An event without `callback` is kept for the event stream only. */
  appendEvents(write: Write, events: readonly OutboxEvent[]): Promise<void>;
  /** Called after a commit with events, so that they go out at once. */
  wake(): void;
  /** From now on `record` takes part in each transaction with events that carry a callback; once per process. */
  alsoRecord(record: RecordAppended): void;
  /**
   * Calls `listener` when events may have been committed, by this process alone or by any; returns the unsubscribe. A listener must be
   * cheap and not throw.
   */
  subscribe(listener: () => void, which?: 'of-this-process' | 'all'): () => void;
  /** Reports whether there are listeners of all processes, and each change of that; one per process, returns its end. */
  followReaders(report: (areThere: boolean) => void): () => void;
  /** Another process has committed events. */
  committedElsewhere(): void;
  /** Begins to deliver, once per process; without a consumer events are only kept, within limits. */
  start(consumer?: OutboxConsumer | Deliver): void;
  /** Makes at most `slots` events due that the consumer set aside in this lane; resolves with their number. */
  resume(lane: string, slots: number): Promise<number>;
  /** This process delivers what an ended incarnation has not. */
  takeOver(ended: number): Promise<void>;
  /** Resolves when no look and no delivery is going on. */
  idle(): Promise<void>;
  /** Waits for deliveries in flight; the others go out after the next start. */
  close(): Promise<void>;
}

export interface OutboxDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newEventId: () => string;
  readonly limits?: Partial<OutboxLimits>;
  /** Delivers what this incarnation has written or taken over. Left out where no other process uses the database: delivers all. */
  readonly incarnation?: number;
  /** Of several processes only one removes old events; always when left out. */
  readonly mayPrune?: () => boolean;
}

/** Events whose commit is not announced by `wake` are delivered this much later. */
const unannouncedMs = 100;

export function createOutbox(deps: OutboxDeps): Outbox {
  const { database, clock, log, newEventId, incarnation, mayPrune = () => true } = deps;
  const isAlone = incarnation === undefined;
  const limits = { ...outboxLimits, ...deps.limits };
  const store = createOutboxStore(database, incarnation);
  const listeners = createCommitListeners(clock, unannouncedMs);
  let offset = 0;
  let pump: OutboxPump | undefined;
  let record: RecordAppended | undefined;
  let callbackAt: Instant = Number.NEGATIVE_INFINITY;

  return {
    async open() {
      offset = await continuePositions(database, log);
    },
    async appendEvents(write, events) {
      if (events.length === 0) return;
      const now = clock.now();
      const createdAt = clock.wallNow();
      const appended = events.map((event) => ({ ...event, eventId: newEventId(), createdAt, dueAt: now }));
      await store.insert(write, appended, offset);
      listeners.written();
      const withCallback = appended.filter(({ callback }) => callback !== undefined);
      if (withCallback.length === 0) return;
      if (record !== undefined) await record(write, withCallback);
      callbackAt = now;
      pump?.wakeAt(now + unannouncedMs);
    },
    wake() {
      // Most events have no callback: they are no reason to look for due deliveries.
      if (clock.now() - callbackAt <= limits.lookEveryMs) pump?.wake();
      listeners.committed();
    },
    alsoRecord(newRecord) {
      if (record !== undefined) throw new Error('something is recorded beside events already');
      record = newRecord;
    },
    subscribe: listeners.subscribe,
    followReaders: listeners.followReaders,
    committedElsewhere: listeners.committedElsewhere,
    start(consumer) {
      if (pump !== undefined) throw new Error('the outbox delivers already');
      const whole = typeof consumer === 'function' ? { deliver: consumer } : consumer;
      pump = startOutboxPump({ database, store, clock, log, limits, isAlone, mayPrune, consumer: whole });
    },
    resume: async (lane, slots) => (await pump?.resume(lane, slots)) ?? 0,
    async takeOver(ended) {
      for (let left = isAlone ? 0 : 1; left > 0; ) {
        const unit = (write: Write) => store.takeOver(write, ended, rowsPerTransaction, clock.now());
        left = await database.transact(unit, { isolation: 'read-committed' });
      }
      pump?.wake();
    },
    idle: async () => pump?.idle(),
    async close() {
      listeners.close();
      await pump?.close();
    },
  };
}
