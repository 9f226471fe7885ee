import type { Clock, Instant, Logger } from '@jackfield/ports';

/** Records of one kind, which are removed some time after their end. */
export interface RetainedRecords {
  /** For the log: `calls`. */
  readonly name: string;
  /** How long they are kept after their end; for ever when undefined. */
  readonly keepMs: number | undefined;
  /** Removes records that ended before `endedBefore`, the oldest first, at most `limit`; resolves with how many. Never a live one. */
  removeEnded(endedBefore: Instant, limit: number): Promise<number>;
}

export interface Retention {
  start(): void;
  /** Waits for a removal that is under way. */
  close(): Promise<void>;
}

export interface RetentionLimits {
  /** Rows of one transaction: a larger one would hold up other writes. */
  readonly batch: number;
  readonly everyMs: number;
  /** Between two batches, while there is more to remove. */
  readonly pauseMs: number;
}

interface RetentionOptions {
  readonly limits?: RetentionLimits;
  /** Of several processes only one removes records. */
  readonly mayRemove?: () => boolean;
}

const retentionLimits: RetentionLimits = { batch: 200, everyMs: 60_000, pauseMs: 100 };

/** Removes old records in batches, each kind at its own pace. */
export function createRetention(
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  kinds: readonly RetainedRecords[],
  { limits = retentionLimits, mayRemove = () => true }: RetentionOptions = {},
): Retention {
  const cancels = new Map<string, () => void>();
  const removing = new Set<Promise<void>>();
  let isClosed = false;

  async function remove(kind: RetainedRecords, keepMs: number): Promise<void> {
    let removed = 0;
    try {
      if (mayRemove()) removed = await kind.removeEnded(clock.wallNow() - keepMs, limits.batch);
    } catch (err) {
      log.error({ err, records: kind.name }, 'old records not removed; retried later');
    }
    if (!isClosed) removeIn(removed === limits.batch ? limits.pauseMs : limits.everyMs, kind, keepMs);
  }

  function removeIn(ms: number, kind: RetainedRecords, keepMs: number): void {
    const cancel = clock.startTimer(clock.now() + ms, () => {
      const removal = remove(kind, keepMs).finally(() => removing.delete(removal));
      removing.add(removal);
    });
    cancels.set(kind.name, cancel);
  }

  return {
    start() {
      for (const kind of kinds) {
        if (kind.keepMs !== undefined) removeIn(limits.everyMs, kind, kind.keepMs);
      }
    },
    async close() {
      isClosed = true;
      for (const cancel of cancels.values()) cancel();
      await Promise.all(removing);
    },
  };
}
