import type { Clock, Database, Instant, Logger } from '@jackfield/ports';
import { sql } from 'kysely';
import { lastAliveTable } from './migrations/0004-last-alive.ts';
import { lastAliveCounted } from './migrations/0005-last-alive-counted.ts';

/**
 * A killed process writes nothing more. Its billed sessions ended with it, and the time until the restart is not billed: so a process
 * with billed sessions writes the time every few seconds.
 */
export interface LastAlive {
  /** A billed session begins. */
  enter(): void;
  /** A billed session ends; called once for each `enter`. */
  leave(): void;
  /** The last time or event that the previous process wrote; 0 without either. To be read before the first `enter`. */
  diedAt(): Promise<DiedAt>;
  /** Resolves when no write is going on. */
  close(): Promise<void>;
}

/**
 * When the process died, in the time of a session that was known alive at `since`. The wall clock may have been stepped while the
 * process ran: sessions from before and after the step have different times. The earlier time that fits costs the least.
 */
export type DiedAt = (since: Instant) => Instant;

/** What the session runner reports. */
export type Alive = Pick<LastAlive, 'enter' | 'leave'>;

export const lastAliveMigrations = [lastAliveTable, lastAliveCounted];

/** The most that is not billed when the process is killed. */
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
  let billed = 0;
  let cancel: (() => void) | undefined;
  let unwritten: { readonly wall: Instant; readonly counted: Instant } | undefined;
  let writing: Promise<void> | undefined;

  function mark(): void {
    // The next process knows the time of this process by the wall clock alone.
    unwritten = { wall: clock.wallNow(), counted: clock.now() };
    cancel = clock.startTimer(unwritten.counted + aliveEveryMs, mark);
    writing ??= write();
  }

  /** A slow database gets only the latest time next. */
  async function write(): Promise<void> {
    while (unwritten !== undefined) {
      const { wall, counted } = unwritten;
      unwritten = undefined;
      await database
        .transact(
          (tables) =>
            sql`INSERT INTO last_alive (id, alive_at, counted_at) VALUES (1, ${wall}, ${counted})
            ON CONFLICT (id) DO UPDATE SET alive_at = excluded.alive_at, counted_at = excluded.counted_at`.execute(
              tables,
            ),
          { isolation: 'read-committed' },
        )
        .catch((err: unknown) => log.warn({ err }, 'time of the last sign of life not saved; retried later'));
    }
    writing = undefined;
  }

  function stop(): void {
    cancel?.();
    cancel = undefined;
  }

  return {
    enter() {
      if (++billed === 1) cancel = clock.startTimer(clock.now() + aliveEveryMs, mark);
    },
    leave() {
      if (--billed === 0) stop();
    },
    async diedAt() {
      const { rows: marks } = await sql<{ alive_at: number; counted_at: number | null }>`
        SELECT alive_at, counted_at FROM last_alive`.execute(database.read);
      const { rows: events } = await sql<{ created_at: number }>`
        SELECT created_at FROM outbox ORDER BY id DESC LIMIT 1`.execute(database.read);
      const lastEventAt = Number(events[0]?.created_at ?? 0);
      const wall = Number(marks[0]?.alive_at ?? 0);
      const counted = Number(marks[0]?.counted_at ?? wall);
      if (wall === counted) return () => Math.max(wall, lastEventAt);
      const times = [wall, counted].sort((one, other) => one - other);
      return (since) => times.find((at) => at >= since) ?? lastEventAt;
    },
    async close() {
      stop();
      await writing;
    },
  };
}
