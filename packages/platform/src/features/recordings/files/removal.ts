import type { Clock, Database, Logger, RecordingFiles } from '@jackfield/ports';
import { createRepeatedWork } from '../../../kernel/repeated-work.ts';
import { filesToRemove, findOver, forgetFiles, removeRecordings } from '../store.ts';

/** Removes files whose records are gone, and records with their files when they are too old. */
export interface Removal {
  start(): void;
  /** Tries each file that is listed for removal now. */
  sweep(): Promise<void>;
  /** Sweeps after the running transaction, whose outcome is unknown yet. */
  sweepSoon(): void;
  close(): Promise<void>;
}

export interface RemovalDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recordingFiles: RecordingFiles;
  /** The machine on whose disk the files are. */
  readonly node: string;
  /** How long records are kept after their end; for ever when undefined. */
  readonly keepMs: number | undefined;
  readonly everyMs: number;
}

/** Records of a statement: a larger statement would delay other writers. */
const portion = 200;
const soonMs = 1_000;

export function createRemoval(deps: RemovalDeps): Removal {
  const { database, clock, log, recordingFiles, node, keepMs, everyMs } = deps;
  // A running sweep may have passed the names that are listed meanwhile.
  const sweeps = createRepeatedWork(removeFiles);
  let cancelTurn: (() => void) | undefined;
  let cancelSoon: (() => void) | undefined;
  let turn: Promise<void> | undefined;
  let isClosed = false;

  /** A file that cannot be removed stays listed, and the next sweep retries it. */
  async function removeFiles(): Promise<void> {
    let last = '';
    for (;;) {
      const names = await filesToRemove(database, node, last, portion);
      const removed: string[] = [];
      for (const name of names) {
        try {
          await recordingFiles.remove(name);
          removed.push(name);
        } catch (err) {
          log.warn({ file: name, err }, 'recording file could not be removed; the next sweep retries it');
        }
      }
      await forgetFiles(database, removed);
      if (names.length < portion) return;
      last = names.at(-1)!;
    }
  }

  async function removeOld(): Promise<number> {
    if (keepMs === undefined) return 0;
    const closedBefore = clock.wallNow() - keepMs;
    return database.transact(async (write) => {
      const ids = await findOver(write, { closedBefore }, portion);
      await removeRecordings(write, ids);
      return ids.length;
    });
  }

  async function takeTurn(): Promise<void> {
    let removed = 0;
    try {
      removed = await removeOld();
      await sweeps.run();
    } catch (err) {
      log.error({ err }, 'old recordings could not be removed; the next turn retries it');
    }
    if (!isClosed) turnAt(clock.now() + (removed === portion ? 100 : everyMs));
  }

  function turnAt(at: number): void {
    cancelTurn = clock.startTimer(at, () => {
      turn = takeTurn();
    });
  }

  return {
    sweep: sweeps.run,
    start() {
      turnAt(clock.now() + everyMs);
    },
    sweepSoon() {
      cancelSoon?.();
      cancelSoon = clock.startTimer(clock.now() + soonMs, () => {
        turn = sweeps
          .run()
          .catch((err: unknown) => log.error({ err }, 'recording files could not be removed'));
      });
    },
    async close() {
      isClosed = true;
      cancelSoon?.();
      cancelTurn?.();
      await turn;
      await sweeps.running?.catch(() => {});
      cancelTurn?.();
    },
  };
}
