import type { Clock, Database, Instant, Logger } from '@jackfield/ports';
import { createTimePartitions } from '../../../kernel/time-partitions.ts';
import { pruneCallbacks } from '../store.ts';

interface PruningDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of several processes only one removes old rows. */
  readonly mayPrune: () => boolean;
  readonly keepMs: number;
  readonly pruneEveryMs: number;
}

/** Removes old deliveries from the log: on PostgreSQL whole partitions, and rows of what no partition of their time holds. */
export interface Pruning {
  start(): void;
  /** Waits for a removal that is under way. */
  close(): Promise<void>;
}

/** A statement that removes more would hold up other writers. */
const portion = 1_000;
/** Between two portions. */
const pauseMs = 100;

export function createPruning(deps: PruningDeps): Pruning {
  const { database, clock, log, mayPrune, keepMs, pruneEveryMs } = deps;
  const partitions = createTimePartitions(deps, { name: 'callbacks', since: 'created_at', keepMs });
  let cancel: (() => void) | undefined;
  let pruning: Promise<void> | undefined;
  let isClosed = false;

  function pruneAt(at: Instant): void {
    cancel = clock.startTimer(at, () => {
      pruning = prune().finally(() => {
        pruning = undefined;
      });
    });
  }

  async function prune(): Promise<void> {
    let isMore = false;
    try {
      for (const table of mayPrune() ? await partitions.maintain() : []) {
        const pruned = await pruneCallbacks(database, clock.wallNow() - keepMs, portion, table);
        isMore ||= pruned === portion;
      }
    } catch (err) {
      log.error({ err }, 'log of callbacks not pruned; retried later');
    }
    if (!isClosed) pruneAt(clock.now() + (isMore ? pauseMs : pruneEveryMs));
  }

  return {
    start: () => pruneAt(clock.now() + pruneEveryMs),
    async close() {
      isClosed = true;
      await pruning;
      cancel?.();
    },
  };
}
