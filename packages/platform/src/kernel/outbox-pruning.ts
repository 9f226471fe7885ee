import type { Clock, Database, Instant } from '@jackfield/ports';
import type { OutboxLimits } from './outbox-limits.ts';
import { pruneEvents, rowsPerTransaction } from './outbox-store.ts';

export interface OutboxPruningDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly limits: OutboxLimits;
  /** True without a consumer. */
  readonly unfinishedToo: boolean;
  /** False while another process does it. */
  readonly mayPrune: () => boolean;
}

/** Removes old events, one portion at a time. */
export class OutboxPruning {
  readonly #deps: OutboxPruningDeps;
  #dueAt: Instant;
  #prunedUpTo = 0;

  constructor(deps: OutboxPruningDeps) {
    this.#deps = deps;
    this.#dueAt = deps.clock.now();
  }

  get dueAt(): Instant {
    return this.#dueAt;
  }

  /** Resolves with true when another portion is due at once. */
  async prune(now: Instant): Promise<boolean> {
    const { database, clock, limits, unfinishedToo, mayPrune } = this.#deps;
    if (!mayPrune()) {
      this.#dueAt = now + limits.pruneEveryMs;
      return false;
    }
    const last = await pruneEvents(database, {
      olderThan: clock.wallNow() - limits.keepMs,
      number: limits.keepNumber,
      unfinishedToo,
      after: this.#prunedUpTo,
      limit: rowsPerTransaction,
    });
    this.#prunedUpTo = last ?? 0;
    if (last !== undefined) return true;
    this.#dueAt = now + limits.pruneEveryMs;
    return false;
  }
}
