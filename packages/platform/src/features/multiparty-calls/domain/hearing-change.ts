import type { Instant } from '@jackfield/ports';

/** Somebody could hear somebody else. */
export interface HearingEdge {
  readonly listener: number;
  readonly speaker: number;
  /** The speaker was a supervisor who coached. */
  readonly isCoach: boolean;
}

/** What a step changed of who could hear whom; written with the record of that step. */
export interface HearingChange {
  readonly at: Instant;
  readonly opened: readonly HearingEdge[];
  readonly closed: readonly HearingEdge[];
}
