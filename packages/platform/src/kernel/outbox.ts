import type { Clock, Database, Instant, Logger, Migration, Write } from '@jackfield/ports';
import type { OutboxEvent } from './kernel-effects.ts';
import { outboxTable } from './migrations/0001-outbox.ts';
import { outboxCallbacks } from './migrations/0002-outbox-callbacks.ts';
import { outboxFeed } from './migrations/0003-event-feed.ts';
import type { Deliver, OutboxConsumer } from './outbox-consumer.ts';
import { type OutboxLimits, outboxLimits } from './outbox-limits.ts';
import { type OutboxPump, startOutboxPump } from './outbox-pump.ts';
import type { AppendedEvent } from './outbox-queries.ts';
import { createOutboxStore } from './outbox-store.ts';

export const outboxMigrations: readonly Migration[] = [outboxTable, outboxCallbacks, outboxFeed];

/** Writes something beside the events that somebody is to be told of, in their transaction. */
export type RecordAppended = (write: Write, events: readonly AppendedEvent[]) => Promise<void>;

/** Events that were written with the change they tell of, and are delivered at least once, in order for each ordered resource. */
export interface Outbox {
  /** Inside the transaction of the change. What nobody is told of (no `callback`) is only kept, for the feed. */
  appendEvents(write: Write, events: readonly OutboxEvent[]): Promise<void>;
  /** Tells that a transaction with events has been committed, so that they go out at once. */
  wake(): void;
  /** From now on `record` takes part in each transaction with events that carry a callback; once per process. */
  alsoRecord(record: RecordAppended): void;
  /** Calls `listener` when events may have been committed; returns what ends that. It must be cheap and not throw. */
  subscribe(listener: () => void): () => void;
  /** Begins to deliver, once per process; without a consumer events are kept for it, within limits. */
  start(consumer?: OutboxConsumer | Deliver): void;
  /** There are places for so many of those that the consumer set aside in this lane; resolves with how many took one. */
  resume(lane: string, places: number): Promise<number>;
  /** Resolves when nothing is looked for and nothing is on its way. */
  idle(): Promise<void>;
  /** Waits for deliveries that are on their way; what is left is delivered after the next start. */
  close(): Promise<void>;
}

export interface OutboxDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newEventId: () => string;
  readonly limits?: Partial<OutboxLimits>;
  /** No other process delivers from this database; false when left out. */
  readonly isAlone?: boolean;
}

/** Whoever appends events and does not say when they are committed has them delivered this much later. */
const unannouncedMs = 100;

export function createOutbox(deps: OutboxDeps): Outbox {
  const { database, clock, log, newEventId, isAlone = false } = deps;
  const limits = { ...outboxLimits, ...deps.limits };
  const store = createOutboxStore(database);
  const listeners = new Set<() => void>();
  let pump: OutboxPump | undefined;
  let record: RecordAppended | undefined;
  let toldAt: Instant = Number.NEGATIVE_INFINITY;
  let cancelTell: (() => void) | undefined;

  function tell(): void {
    cancelTell?.();
    cancelTell = undefined;
    for (const listener of listeners) listener();
  }

  return {
    async appendEvents(write, events) {
      if (events.length === 0) return;
      const now = clock.now();
      const createdAt = clock.wallNow();
      const appended = events.map((event) => ({ ...event, eventId: newEventId(), createdAt, dueAt: now }));
      await store.insert(write, appended);
      if (listeners.size > 0) cancelTell ??= clock.startTimer(now + unannouncedMs, tell);
      const told = appended.filter(({ callback }) => callback !== undefined);
      if (told.length === 0) return;
      if (record !== undefined) await record(write, told);
      toldAt = now;
      pump?.wakeAt(now + unannouncedMs);
    },
    wake() {
      // Most events are for the feed alone: they are no reason to look for something to deliver.
      if (clock.now() - toldAt <= limits.lookEveryMs) pump?.wake();
      if (listeners.size > 0) tell();
    },
    alsoRecord(newRecord) {
      if (record !== undefined) throw new Error('something is recorded beside events already');
      record = newRecord;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        cancelTell?.();
        cancelTell = undefined;
      };
    },
    start(consumer) {
      if (pump !== undefined) throw new Error('the outbox delivers already');
      const taking = typeof consumer === 'function' ? { deliver: consumer } : consumer;
      pump = startOutboxPump({ database, store, clock, log, limits, isAlone, consumer: taking });
    },
    resume: async (lane, places) => (await pump?.resume(lane, places)) ?? 0,
    idle: async () => pump?.idle(),
    async close() {
      cancelTell?.();
      await pump?.close();
    },
  };
}
