import type { Instant } from '../../kernel/machine.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Database } from '../../ports/database.ts';
import type { Logger } from '../../ports/logger.ts';
import { lastAlive, saveAlive } from './store.ts';

/** A process that is killed writes nothing more: streams that it had are billed until it was last known to live. */
export interface AliveMark {
  /** There are live streams: from now on it is written down every few seconds that they are alive. */
  begin(): void;
  /** There are none. */
  end(): void;
  /** What the process before this one wrote last; null where there was none. */
  last(): Promise<Instant | null>;
  /** Resolves when nothing is being written. */
  close(): Promise<void>;
}

/** What a killed stream may have lived unbilled. */
export const aliveEveryMs = 5_000;

export function createAliveMark({
  clock,
  database,
  log,
}: {
  readonly clock: Clock;
  readonly database: Database;
  readonly log: Logger;
}): AliveMark {
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
        .transact((tables) => saveAlive(tables, at))
        .catch((err: unknown) => log.warn({ err }, 'That streams are alive could not be written down.'));
    }
    writing = undefined;
  }

  function end(): void {
    cancel?.();
    cancel = undefined;
  }

  return {
    begin() {
      cancel ??= clock.startTimer(clock.now() + aliveEveryMs, mark);
    },
    end,
    last: () => lastAlive(database),
    async close() {
      end();
      await writing;
    },
  };
}
