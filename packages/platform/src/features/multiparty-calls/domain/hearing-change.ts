import type { Instant } from '@jackfield/ports';

/** One participant could hear another. */
export interface HearingEdge {
  readonly listener: number;
  readonly speaker: number;
  /** The speaker was a supervisor who coached. */
  readonly isCoach: boolean;
}

/** Edges that a step opened and closed; written in the transaction of that step. */
export interface HearingChange {
  readonly at: Instant;
  readonly opened: readonly HearingEdge[];
  readonly closed: readonly HearingEdge[];
}
