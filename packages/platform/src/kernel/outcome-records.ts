import type { Clock, Database, UnitOptions, Write } from '@jackfield/ports';
import type { DeliveryOutcome } from './outbox-consumer.ts';
import type { OutboxStore, StoredEvent } from './outbox-store.ts';

/** An outcome whose retry, if any, has its time. */
export type DecidedOutcome = Exclude<DeliveryOutcome, 'retry'>;

/** Resolves after the commit. */
export type RecordOutcome = (event: StoredEvent, outcome: DecidedOutcome) => Promise<void>;

interface Waiting {
  readonly event: StoredEvent;
  readonly outcome: DecidedOutcome;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The outcomes of one lane. */
interface OutcomeQueue {
  waiting: Waiting[];
  isAsked: boolean;
}

const unitOf = ({ event }: Waiting): UnitOptions => ({ isolation: 'read-committed', key: event.resource });

/** A transaction that records more would hold up other writers. */
const outcomesAtOnce = 100;

/**
 * Records outcomes. One transaction writes the outcome, the consumer's record of it, and the turn of the next event. Outcomes that
 * wait when a transaction begins share it; their resources have one lane, in which new events of these resources are written as well.
 */
export function createOutcomeRecords(
  database: Pick<Database, 'transact' | 'laneOf'>,
  store: Pick<OutboxStore, 'finish' | 'postpone'>,
  clock: Clock,
): RecordOutcome {
  const queues: OutcomeQueue[] = [];

  async function write(write: Write, { event, outcome }: Waiting): Promise<void> {
    if (typeof outcome === 'string') {
      await store.finish(write, event, outcome, clock.now());
      return;
    }
    const isOurs =
      'finished' in outcome
        ? await store.finish(write, event, outcome.finished, clock.now())
        : await store.postpone(write, event, outcome.retryAt, outcome.isAttempt);
    // An earlier attempt to record it may have been committed although its answer was lost.
    if (isOurs) await outcome.save?.(write);
  }

  async function recordWhatWaits(queue: OutcomeQueue): Promise<void> {
    let batch: Waiting[] | undefined;
    const takeBatch = (): Waiting[] => {
      const taken = queue.waiting.slice(0, outcomesAtOnce);
      queue.waiting = queue.waiting.slice(outcomesAtOnce);
      queue.isAsked = false;
      if (queue.waiting.length > 0) ask(queue);
      return taken;
    };
    try {
      await database.transact(async (unit) => {
        // A transaction that is repeated records the same batch.
        batch ??= takeBatch();
        for (const each of batch) await write(unit, each);
      }, unitOf(queue.waiting[0]!));
      for (const { resolve } of batch!) resolve();
    } catch (error) {
      batch ??= takeBatch();
      if (batch.length === 1) batch[0]!.reject(error);
      // One outcome may be at fault: each gets its own transaction.
      else
        for (const each of batch)
          database.transact((unit) => write(unit, each), unitOf(each)).then(each.resolve, each.reject);
    }
  }

  function ask(queue: OutcomeQueue): void {
    queue.isAsked = true;
    void recordWhatWaits(queue);
  }

  return (event, outcome) =>
    new Promise((resolve, reject) => {
      const lane = database.laneOf(event.resource);
      queues[lane] ??= { waiting: [], isAsked: false };
      const queue = queues[lane];
      queue.waiting.push({ event, outcome, resolve, reject });
      if (!queue.isAsked) ask(queue);
    });
}
