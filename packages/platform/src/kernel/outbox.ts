import type { Clock } from '../ports/clock.ts';
import type { Database, Migration, Write } from '../ports/database.ts';
import type { Logger } from '../ports/logger.ts';
import type { OutboxEvent } from './machine.ts';
import { outboxTable } from './migrations/0001-outbox.ts';
import { outboxCallbacks } from './migrations/0002-outbox-callbacks.ts';
import {
  type Deliver,
  type OutboxLimits,
  type OutboxPump,
  outboxLimits,
  startOutboxPump,
} from './outbox-pump.ts';
import { insertEvents } from './outbox-store.ts';

export const outboxMigrations: readonly Migration[] = [outboxTable, outboxCallbacks];

/** Events that were written with the change they tell of, and are delivered at least once, in order for each resource. */
export interface Outbox {
  /** Inside the transaction of the change. */
  appendEvents(write: Write, events: readonly OutboxEvent[]): Promise<void>;
  /** Tells that a transaction with events has been committed, so that they go out at once. */
  wake(): void;
  /** Begins to deliver, once per process; without a consumer events are kept for it, within limits. */
  start(deliver?: Deliver): void;
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
  const { database, clock, log, newEventId } = deps;
  const limits = { ...outboxLimits, ...deps.limits };
  let pump: OutboxPump | undefined;

  return {
    async appendEvents(write, events) {
      if (events.length === 0) return;
      await insertEvents(write, events, clock.now(), newEventId);
      pump?.wakeAt(clock.now() + unannouncedMs);
    },
    wake: () => pump?.wake(),
    start(deliver) {
      if (pump !== undefined) throw new Error('the outbox delivers already');
      pump = startOutboxPump({ database, clock, log, limits, deliver, isAlone: deps.isAlone ?? false });
    },
    idle: async () => pump?.idle(),
    close: async () => pump?.close(),
  };
}
