import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresConnection } from './postgres-connection.ts';

export interface CommitOutcomeDeps {
  readonly connect: () => Promise<PostgresConnection>;
  /** The process ends: an answer is still read, but a database that is away is not waited for. */
  readonly isClosing: () => boolean;
}

/** A restart of PostgreSQL and most failovers are over within half a minute. */
const looks = 120;
const everyMs = 250;

/**
 * Whether a transaction was committed whose connection was lost during its commit; undefined where the database stays away. Without it the
 * same work would be done again: a call would end twice, and its callbacks be sent twice.
 */
export async function wasCommitted(
  transaction: string,
  { connect, isClosing }: CommitOutcomeDeps,
): Promise<boolean | undefined> {
  for (let look = 0; look < looks; look++) {
    if (look > 0) await pause(everyMs);
    try {
      const connection = await connect();
      const outcome = await connection.outcomeOf(transaction).finally(() => connection.release());
      // The server may not have noticed yet that its client is gone.
      if (outcome !== 'in progress') return outcome === 'committed';
    } catch {
      if (isClosing()) return undefined;
    }
  }
  return undefined;
}
