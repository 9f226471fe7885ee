import type { Clock, Database, Logger, RecordingFiles } from '@jackfield/ports';
import { fileKept, filesToKeep, keepAgain, keepAllAgain, nextToKeep } from '../store.ts';

/** Takes files that are complete to the place where they stay, as often as it takes. */
export interface Keeping {
  /** What the last process left is taken up at once. */
  start(): Promise<void>;
  /** There may be something to do. */
  wake(): void;
  /** What is under way is broken off, and taken up at the next start. */
  close(): Promise<void>;
}

export interface KeepingDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recordingFiles: RecordingFiles;
}

/** Files that are taken away at the same time: one that is slow does not hold up the rest. */
const atATime = 4;
const firstPauseMs = 2_000;
const longestPauseMs = 600_000;

export function createKeeping({ database, clock, log, recordingFiles }: KeepingDeps): Keeping {
  const underWay = new Map<string, Promise<void>>();
  const end = new AbortController();
  let cancelTurn = () => {};
  let looking: Promise<void> | undefined;
  let isWanted = false;
  /** The database refused to note something: nothing is taken before this. */
  let restsUntil = 0;

  async function take(name: string, attempts: number): Promise<void> {
    try {
      await recordingFiles.keep?.(name, end.signal);
      await fileKept(database, name);
    } catch (err) {
      if (end.signal.aborted) return;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempts, 20));
      log.warn(
        { file: name, attempts: attempts + 1, pauseMs, err },
        'The file of a recording could not be taken to its store; it will be tried again.',
      );
      await keepAgain(database, name, attempts + 1, clock.now() + pauseMs);
    }
  }

  async function look(): Promise<void> {
    do {
      isWanted = false;
      if (clock.now() < restsUntil) break;
      for (const { file_name: name, attempts } of await filesToKeep(database, clock.now(), 2 * atATime)) {
        if (end.signal.aborted || underWay.size >= atATime) break;
        if (underWay.has(name)) continue;
        const taken = take(name, attempts)
          .catch((err: unknown) => {
            restsUntil = clock.now() + firstPauseMs;
            log.error({ file: name, err }, 'What became of the file of a recording could not be noted.');
          })
          .finally(() => {
            underWay.delete(name);
            wake();
          });
        underWay.set(name, taken);
      }
    } while (isWanted && !end.signal.aborted);
    cancelTurn();
    // While one is under way its end looks again.
    const next = underWay.size > 0 || end.signal.aborted ? undefined : await nextToKeep(database);
    if (next !== undefined && !end.signal.aborted) {
      cancelTurn = clock.startTimer(Math.max(next, clock.now() + 100, restsUntil), wake);
    }
  }

  function wake(): void {
    if (recordingFiles.keep === undefined || end.signal.aborted) return;
    isWanted = true;
    looking ??= look()
      .catch((err: unknown) => {
        log.error({ err }, 'Files of recordings that wait for their store could not be looked up.');
        isWanted = false;
        cancelTurn();
        if (!end.signal.aborted) cancelTurn = clock.startTimer(clock.now() + firstPauseMs, wake);
      })
      .finally(() => {
        looking = undefined;
        if (isWanted) wake();
      });
  }

  return {
    async start() {
      if (recordingFiles.keep === undefined) return;
      await keepAllAgain(database, clock.now());
      wake();
    },
    wake,
    async close() {
      end.abort();
      cancelTurn();
      await looking;
      await Promise.allSettled(underWay.values());
      cancelTurn();
    },
  };
}
