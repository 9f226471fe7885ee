export interface OutboxLimits {
  /** Deliveries of this node at the same time. */
  readonly concurrency: number;
  /** A delivery whose node died is made again by another after this long. Longer than any delivery takes. */
  readonly leaseMs: number;
  /** Pause before the second attempt; doubled from attempt to attempt. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Then the event is abandoned, and those behind it go on. */
  readonly attempts: number;
  /** What waits for a place is looked at again after this long, should nobody say that there is one. */
  readonly longestAsideMs: number;
  /** How often the database is asked without a reason: events of nodes that died. */
  readonly lookEveryMs: number;
  /** Finished events stay this long, and the newest `keepNumber` at most; without a consumer that holds for all. */
  readonly keepMs: number;
  readonly keepNumber: number;
  readonly pruneEveryMs: number;
}

/** 10 attempts with these pauses reach over 8.5 hours. */
export const outboxLimits: OutboxLimits = {
  concurrency: 32,
  leaseMs: 60_000,
  firstPauseMs: 60_000,
  longestPauseMs: 3_600_000 * 6,
  attempts: 10,
  longestAsideMs: 300_000,
  lookEveryMs: 5_000,
  keepMs: 7 * 86_400_000,
  keepNumber: 1_000_000,
  pruneEveryMs: 60_000,
};
