import type { Clock, Database, Logger, RecordingFiles } from '@jackfield/ports';
import { createRepeatedWork } from '../../../kernel/repeated-work.ts';
import { fileKept, filesToKeep, keepAgain, keepAllAgain, nextToKeep } from '../store.ts';

/** Moves complete files to their store, with retries until that succeeds. */
export interface Keeping {
  /** Begins with the files of the last process. */
  start(): Promise<void>;
  /** A file may be due. */
  wake(): void;
  /** Aborts running moves; the next start repeats them. */
  close(): Promise<void>;
}

export interface KeepingDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recordingFiles: RecordingFiles;
  /** The machine on whose disk the files are. */
  readonly node: string;
}

/** Concurrent moves: a slow file does not delay the others. */
const concurrent = 4;
const firstPauseMs = 2_000;
const longestPauseMs = 600_000;

export function createKeeping({ database, clock, log, recordingFiles, node }: KeepingDeps): Keeping {
  const underWay = new Map<string, Promise<void>>();
  const end = new AbortController();
  let cancelTurn = () => {};
  /** After a database error no move begins before this. */
  let restsUntil = 0;

  async function move(name: string, attempts: number): Promise<void> {
    try {
      await recordingFiles.keep?.(name, end.signal);
      await fileKept(database, name);
    } catch (err) {
      if (end.signal.aborted) return;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempts, 20));
      log.warn(
        { file: name, attempts: attempts + 1, pauseMs, err },
        'file of a recording could not be moved to its store; it is retried',
      );
      await keepAgain(database, name, attempts + 1, clock.now() + pauseMs);
    }
  }

  async function beginMoves(): Promise<void> {
    const due = await filesToKeep(database, node, clock.now(), 2 * concurrent);
    for (const { file_name: name, attempts } of due) {
      if (end.signal.aborted || underWay.size >= concurrent) return;
      if (underWay.has(name)) continue;
      const moved = move(name, attempts)
        .catch((err: unknown) => {
          restsUntil = clock.now() + firstPauseMs;
          log.error({ file: name, err }, 'move of a recording file could not be recorded');
        })
        .finally(() => {
          underWay.delete(name);
          wake();
        });
      underWay.set(name, moved);
    }
  }

  function wakeAt(at: number): void {
    cancelTurn();
    if (!end.signal.aborted) cancelTurn = clock.startTimer(at, wake);
  }

  async function look(): Promise<void> {
    try {
      if (end.signal.aborted) return;
      if (clock.now() >= restsUntil) await beginMoves();
      cancelTurn();
      // The end of a running move looks again.
      if (underWay.size > 0) return;
      const next = await nextToKeep(database, node);
      if (next !== undefined) wakeAt(Math.max(next, clock.now() + 100, restsUntil));
    } catch (err) {
      log.error({ err }, 'recording files that wait for their store could not be read');
      wakeAt(clock.now() + firstPauseMs);
    }
  }

  const looks = createRepeatedWork(look);

  function wake(): void {
    if (recordingFiles.keep !== undefined && !end.signal.aborted) void looks.run();
  }

  return {
    async start() {
      if (recordingFiles.keep === undefined) return;
      await keepAllAgain(database, node, clock.now());
      wake();
    },
    wake,
    async close() {
      end.abort();
      cancelTurn();
      await looks.running;
      await Promise.allSettled(underWay.values());
      cancelTurn();
    },
  };
}
