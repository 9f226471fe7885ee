import { sql } from 'kysely';
import type { Clock } from '../ports/clock.ts';
import type { Database } from '../ports/database.ts';
import type { Logger } from '../ports/logger.ts';
import type { Instant } from './machine.ts';

/**
 * A process that is killed writes nothing more. What it had alive is over since then, and nobody pays for the time until the restart: so a
 * process with something alive writes every few seconds that it lives.
 */
export interface LastAlive {
  /** Something lives that is billed, once more. */
  enter(): void;
  /** That much is over; to be called once for each `enter`. */
  leave(): void;
  /** When the process before this one was last known to live: it wrote that, or an event; 0 where none has. Before the first `enter`. */
  diedAt(): Promise<Instant>;
  /** Resolves when nothing is being written. */
  close(): Promise<void>;
}

/** What whoever is alive lets others know of it. */
export type Alive = Pick<LastAlive, 'enter' | 'leave'>;

/** The most that a killed life goes unbilled. */
export const aliveEveryMs = 5_000;

export function createLastAlive({
  clock,
  database,
  log,
}: {
  readonly clock: Clock;
  readonly database: Database;
  readonly log: Logger;
}): LastAlive {
  let lives = 0;
  let cancel: (() => void) | undefined;
  let due: Instant | undefined;
  let writing: Promise<void> | undefined;

  function mark(): void {
    due = clock.now();
    cancel = clock.startTimer(due + aliveEveryMs, mark);
    writing ??= write();
  }

  /** A database that is slow gets the latest moment next, not each of them. */
  async function write(): Promise<void> {
    while (due !== undefined) {
      const at = due;
      due = undefined;
      await database
        .transact((tables) =>
          sql`INSERT INTO last_alive (id, alive_at) VALUES (1, ${at})
            ON CONFLICT (id) DO UPDATE SET alive_at = excluded.alive_at`.execute(tables),
        )
        .catch((err: unknown) => log.warn({ err }, 'That calls are alive could not be written down.'));
    }
    writing = undefined;
  }

  function rest(): void {
    cancel?.();
    cancel = undefined;
  }

  return {
    enter() {
      if (++lives === 1) cancel = clock.startTimer(clock.now() + aliveEveryMs, mark);
    },
    leave() {
      if (--lives === 0) rest();
    },
    async diedAt() {
      const { rows } = await sql<{ at: number | null }>`
        SELECT max(at) AS at FROM (SELECT alive_at AS at FROM last_alive
          UNION ALL SELECT at FROM (SELECT created_at AS at FROM outbox ORDER BY id DESC LIMIT 1) AS newest) AS known`.execute(
        database.read,
      );
      return Number(rows[0]?.at ?? 0);
    },
    async close() {
      rest();
      await writing;
    },
  };
}
