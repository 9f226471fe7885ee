export interface OutboxLimits {
  /** Deliveries of this node at the same time. */
  readonly concurrency: number;
  /** Pause before the second attempt; doubled from attempt to attempt. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** After so many the event is abandoned, and later events of its resource continue. */
  readonly attempts: number;
  /** An event that was set aside is due again after this time, even without `resume`. */
  readonly longestAsideMs: number;
  /** How often the database is read without a wake. */
  readonly lookEveryMs: number;
  /** Finished events are kept for this time, at most the newest `keepNumber`; without a consumer unfinished ones as well. */
  readonly keepMs: number;
  readonly keepNumber: number;
  readonly pruneEveryMs: number;
}

/** 10 attempts with these pauses reach over 8.5 hours. */
export const outboxLimits: OutboxLimits = {
  concurrency: 32,
  firstPauseMs: 60_000,
  longestPauseMs: 3_600_000 * 6,
  attempts: 10,
  longestAsideMs: 300_000,
  lookEveryMs: 5_000,
  keepMs: 7 * 86_400_000,
  keepNumber: 1_000_000,
  pruneEveryMs: 60_000,
};
