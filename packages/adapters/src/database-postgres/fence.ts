import type { DatabaseMember } from '@jackfield/ports';

/** Another process has ended this incarnation: nothing was written. */
export class IncarnationEndedError extends Error {
  readonly code = 'incarnation-ended';

  constructor() {
    super('another process has ended this one on their database; nothing was written');
    this.name = 'IncarnationEndedError';
  }
}

/** Makes sure that each transaction of an ended incarnation is refused. */
export interface Fence {
  /** Finds a row with `selected` while the incarnation has not ended, at the beginning of a transaction; undefined before `join`. */
  statement(lane: number, selected: string): string | undefined;
  /** Before the commit, with the number of rows that were found; throws `IncarnationEndedError`. */
  judge(rows: number): void;
  join(member: DatabaseMember): void;
}

/**
 * The row of each lane has one locker, the transaction that runs there. The end of the incarnation deletes the row: it waits for that
 * transaction, and every later one finds no row.
 */
const check = (incarnation: number, lane: number, selected: string) =>
  `SELECT ${selected} FROM incarnation_lanes WHERE incarnation = ${incarnation} AND lane = ${lane} FOR UPDATE`;

export function createFence(): Fence {
  let member: DatabaseMember | undefined;
  let isEnded = false;

  return {
    statement: (lane, selected) => member && check(member.incarnation, lane, selected),
    judge(rows) {
      if (rows > 0) return;
      if (!isEnded) {
        isEnded = true;
        member?.onEnded();
      }
      throw new IncarnationEndedError();
    },
    join(joining) {
      member = joining;
    },
  };
}
