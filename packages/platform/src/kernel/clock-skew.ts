import type { Instant, Logger } from '@jackfield/ports';

/** How far the wall clock of this machine is ahead of the database's, as the heartbeats show it. */
export interface ClockSkew {
  /** At least so much; negative when it is behind, 0 while slow answers do not show it. */
  readonly ms: number;
  /** The database read its clock between the two times of this machine. */
  saw(askedAt: Instant, databaseAt: Instant, answeredAt: Instant): void;
}

/** Dates of two nodes are then out of order for a reader, and what one node lets expire another one expects. */
const warnedMs = 2_000;
/** What expires by then at one node and not at another one is worse than a node less. */
const readyMs = 30_000;
/** Lower, so that a clock at the limit is not reported with each heartbeat. */
const rightAgainMs = 1_000;

/** Why a process with such a clock accepts no new work; undefined where it does. */
export function clockProblem({ ms }: Pick<ClockSkew, 'ms'>): string | undefined {
  if (Math.abs(ms) <= readyMs) return undefined;
  const skew = `${Math.round(Math.abs(ms) / 1_000)} s ${ms > 0 ? 'ahead of' : 'behind'}`;
  return `the clock of this machine is ${skew} that of the database: at most ${readyMs / 1_000} s are allowed`;
}

export function createClockSkew(log: Pick<Logger, 'warn' | 'info'>): ClockSkew {
  let ms = 0;
  let isWarned = false;
  return {
    get ms() {
      return ms;
    },
    saw(askedAt, databaseAt, answeredAt) {
      ms = Math.max(0, askedAt - databaseAt) + Math.min(0, answeredAt - databaseAt);
      if (!isWarned && Math.abs(ms) > warnedMs) {
        isWarned = true;
        log.warn({ aheadMs: ms }, 'the clock of this machine differs from that of the database');
      } else if (isWarned && Math.abs(ms) < rightAgainMs) {
        isWarned = false;
        log.info({ aheadMs: ms }, 'the clock of this machine agrees with that of the database again');
      }
    },
  };
}
