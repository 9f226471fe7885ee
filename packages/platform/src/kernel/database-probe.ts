import type { Clock, Database } from '@jackfield/ports';
import { sql } from 'kysely';

export interface ProbeLimits {
  /** A database that has not answered after this time counts as away. */
  readonly answerMs: number;
  /** How long an outcome is repeated without another query. */
  readonly freshMs: number;
}

const defaultProbeLimits: ProbeLimits = { answerMs: 2_000, freshMs: 1_000 };

/**
 * Asks whether the database answers queries, with one query at a time. While that query hangs, probes resolve with false after
 * `answerMs`, later ones at once.
 */
export function createDatabaseProbe(
  { database, clock }: { readonly database: Pick<Database, 'read'>; readonly clock: Clock },
  limits: ProbeLimits = defaultProbeLimits,
): () => Promise<boolean> {
  let outcome: Promise<boolean> | undefined;
  /** Undefined while the query of `outcome` is under way. */
  let endedAt: number | undefined;

  function ask(): Promise<boolean> {
    endedAt = undefined;
    return new Promise((resolve) => {
      const giveUp = clock.startTimer(clock.now() + limits.answerMs, () => resolve(false));
      const settle = (answered: boolean) => {
        giveUp();
        endedAt = clock.now();
        resolve(answered);
      };
      sql`SELECT 1`.execute(database.read).then(
        () => settle(true),
        () => settle(false),
      );
    });
  }

  return () => {
    const isFresh = endedAt === undefined || clock.now() - endedAt < limits.freshMs;
    if (outcome === undefined || !isFresh) outcome = ask();
    return outcome;
  };
}
