import type { Clock, Database, Instant, Logger } from '@jackfield/ports';
import { sql } from 'kysely';
import { lastAliveTable } from './migrations/0004-last-alive.ts';
import { lastAliveCounted } from './migrations/0005-last-alive-counted.ts';

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
  diedAt(): Promise<DiedAt>;
  /** Resolves when nothing is being written. */
  close(): Promise<void>;
}

/**
 * When the process died, in the time of a session that was known alive at `since`. The wall clock may have been stepped while the
 * process lived: sessions from before the step and from after it have different times. The earlier one that fits costs the least.
 */
export type DiedAt = (since: Instant) => Instant;

/** What whoever is alive lets others know of it. */
export type Alive = Pick<LastAlive, 'enter' | 'leave'>;

export const lastAliveMigrations = [lastAliveTable, lastAliveCounted];

/** The most that a killed life goes unbilled. */
const aliveEveryMs = 5_000;

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
  let due: { readonly wall: Instant; readonly counted: Instant } | undefined;
  let writing: Promise<void> | undefined;

  function mark(): void {
    // The next process knows this one's time by the wall clock alone.
    due = { wall: clock.wallNow(), counted: clock.now() };
    cancel = clock.startTimer(due.counted + aliveEveryMs, mark);
    writing ??= write();
  }

  /** A database that is slow gets the latest moment next, not each of them. */
  async function write(): Promise<void> {
    while (due !== undefined) {
      const { wall, counted } = due;
      due = undefined;
      await database
        .transact((tables) =>
          sql`INSERT INTO last_alive (id, alive_at, counted_at) VALUES (1, ${wall}, ${counted})
            ON CONFLICT (id) DO UPDATE SET alive_at = excluded.alive_at, counted_at = excluded.counted_at`.execute(
            tables,
          ),
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
      const { rows: marks } = await sql<{ alive_at: number; counted_at: number | null }>`
        SELECT alive_at, counted_at FROM last_alive`.execute(database.read);
      const { rows: events } = await sql<{ created_at: number }>`
        SELECT created_at FROM outbox ORDER BY id DESC LIMIT 1`.execute(database.read);
      const toldAt = Number(events[0]?.created_at ?? 0);
      const wall = Number(marks[0]?.alive_at ?? 0);
      const counted = Number(marks[0]?.counted_at ?? wall);
      if (wall === counted) return () => Math.max(wall, toldAt);
      const times = [wall, counted].sort((one, other) => one - other);
      return (since) => times.find((at) => at >= since) ?? toldAt;
    },
    async close() {
      rest();
      await writing;
    },
  };
}
