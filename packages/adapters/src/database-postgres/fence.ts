import type { DatabaseMember } from '@jackfield/ports';
import type { PostgresConnection } from './postgres-connection.ts';

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
  /** Sends the check without waiting: it costs no round trip of its own. Await the result before the commit; it throws `IncarnationEndedError`. */
  check(connection: PostgresConnection, lane: number): () => Promise<void>;
  join(member: DatabaseMember): void;
}

/**
 * The row of each lane has one locker, the transaction that runs there. The end of the incarnation deletes the row: it waits for that
 * transaction, and every later one finds no row.
 */
const check = 'SELECT 1 FROM incarnation_lanes WHERE incarnation = $1 AND lane = $2 FOR UPDATE';

export function createFence(): Fence {
  let member: DatabaseMember | undefined;
  let isEnded = false;

  function ended(): never {
    if (!isEnded) {
      isEnded = true;
      member?.onEnded();
    }
    throw new IncarnationEndedError();
  }

  return {
    check(connection, lane) {
      if (member === undefined) return async () => {};
      const found = connection.ask(check, [member.incarnation, lane]);
      return async () => {
        if ((await found) === 0) ended();
      };
    },
    join(joining) {
      member = joining;
    },
  };
}
