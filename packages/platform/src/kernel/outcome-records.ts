import type { Clock, Database, Write } from '@jackfield/ports';
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

/** A transaction that records more would hold up other writers. */
const outcomesAtOnce = 100;

/**
 * Records outcomes. One transaction writes the outcome, the consumer's record of it, and the turn of the next event. Outcomes that
 * wait when a transaction begins share it.
 */
export function createOutcomeRecords(
  database: Pick<Database, 'transact'>,
  store: Pick<OutboxStore, 'finish' | 'postpone'>,
  clock: Clock,
): RecordOutcome {
  let waiting: Waiting[] = [];
  let isAsked = false;

  async function write(write: Write, { event, outcome }: Waiting): Promise<void> {
    if (typeof outcome === 'string') {
      await store.finish(write, event, outcome, clock.now());
      return;
    }
    const isOurs =
      'finished' in outcome
        ? await store.finish(write, event, outcome.finished, clock.now())
        : await store.postpone(write, event, outcome.retryAt, outcome.isAttempt);
    // A node that claimed the event after our lease records its own outcome.
    if (isOurs) await outcome.save?.(write);
  }

  async function recordWhatWaits(): Promise<void> {
    let batch: Waiting[] | undefined;
    const takeBatch = (): Waiting[] => {
      const taken = waiting.slice(0, outcomesAtOnce);
      waiting = waiting.slice(outcomesAtOnce);
      isAsked = false;
      if (waiting.length > 0) ask();
      return taken;
    };
    try {
      await database.transact(async (unit) => {
        // A transaction that is repeated records the same batch.
        batch ??= takeBatch();
        for (const each of batch) await write(unit, each);
      });
      for (const { resolve } of batch!) resolve();
    } catch (error) {
      batch ??= takeBatch();
      if (batch.length === 1) batch[0]!.reject(error);
      // One outcome may be at fault: each gets its own transaction.
      else
        for (const each of batch)
          database.transact((unit) => write(unit, each)).then(each.resolve, each.reject);
    }
  }

  function ask(): void {
    isAsked = true;
    void recordWhatWaits();
  }

  return (event, outcome) =>
    new Promise((resolve, reject) => {
      waiting.push({ event, outcome, resolve, reject });
      if (!isAsked) ask();
    });
}
