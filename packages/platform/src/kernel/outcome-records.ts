import type { Clock, Database, Write } from '@jackfield/ports';
import type { DeliveryOutcome } from './outbox-consumer.ts';
import type { OutboxStore, StoredEvent } from './outbox-store.ts';

/** An outcome that says when the event comes again, if it does. */
export type DecidedOutcome = Exclude<DeliveryOutcome, 'retry'>;

interface Waiting {
  readonly event: StoredEvent;
  readonly outcome: DecidedOutcome;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A transaction that records more would hold up those who wait to write. */
const outcomesAtOnce = 100;

/**
 * Writes outcomes down: the outcome, what the consumer keeps of it, and the turn of the one behind it are all or nothing.
 * Those that are there when a transaction begins share it; resolves after the commit.
 */
export function createOutcomeRecords(
  database: Pick<Database, 'transact'>,
  store: Pick<OutboxStore, 'finish' | 'postpone'>,
  clock: Clock,
): (event: StoredEvent, outcome: DecidedOutcome) => Promise<void> {
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
    // Whoever took it over when our lease was over has recorded its own.
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
        // A transaction that is begun again has the same ones to record.
        batch ??= takeBatch();
        for (const each of batch) await write(unit, each);
      });
      for (const { resolve } of batch!) resolve();
    } catch (error) {
      batch ??= takeBatch();
      if (batch.length === 1) batch[0]!.reject(error);
      // One of them may be at fault: alone, it takes no other with it.
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
