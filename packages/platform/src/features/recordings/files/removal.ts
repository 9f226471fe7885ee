import type { Clock, Database, Logger, RecordingFiles } from '@jackfield/ports';
import { filesToRemove, findOver, forgetFiles, removeRecordings } from '../store.ts';

/** Makes files go whose records are gone, and both when their time is over. */
export interface Removal {
  start(): void;
  /** Removes what is put down now; resolves when that has been tried. */
  sweep(): Promise<void>;
  /** After a transaction that is under way: its outcome is not known yet. */
  sweepSoon(): void;
  close(): Promise<void>;
}

export interface RemovalDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recordingFiles: RecordingFiles;
  /** How long records are kept after their end; for ever when undefined. */
  readonly keepMs: number | undefined;
  readonly everyMs: number;
}

/** Records and files that go at a time: a statement that removes more would hold up those who wait to write. */
const portion = 200;
const soonMs = 1_000;

export function createRemoval(deps: RemovalDeps): Removal {
  const { database, clock, log, recordingFiles, keepMs, everyMs } = deps;
  let sweeping: Promise<void> | undefined;
  let isWanted = false;
  let cancelTurn: (() => void) | undefined;
  let cancelSoon: (() => void) | undefined;
  let turn: Promise<void> | undefined;
  let isClosed = false;

  /** One that cannot be removed stays put down, and is tried again the next time. */
  async function removeFiles(): Promise<void> {
    let last = '';
    for (;;) {
      const names = await filesToRemove(database, last, portion);
      const removed: string[] = [];
      for (const name of names) {
        try {
          await recordingFiles.remove(name);
          removed.push(name);
        } catch (err) {
          log.warn({ file: name, err }, 'The file of a recording cannot be removed; it will be tried again.');
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

  function sweep(): Promise<void> {
    if (sweeping !== undefined) {
      // What was put down since it began may have been passed by.
      isWanted = true;
      return sweeping;
    }
    sweeping = (async () => {
      do {
        isWanted = false;
        await removeFiles();
      } while (isWanted);
    })().finally(() => {
      sweeping = undefined;
    });
    return sweeping;
  }

  async function takeTurn(): Promise<void> {
    let removed = 0;
    try {
      removed = await removeOld();
      await sweep();
    } catch (err) {
      log.error({ err }, 'Old recordings could not be removed; it will be tried again.');
    }
    if (!isClosed) turnAt(clock.now() + (removed === portion ? 100 : everyMs));
  }

  function turnAt(at: number): void {
    cancelTurn = clock.startTimer(at, () => {
      turn = takeTurn();
    });
  }

  return {
    sweep,
    start() {
      turnAt(clock.now() + everyMs);
    },
    sweepSoon() {
      cancelSoon?.();
      cancelSoon = clock.startTimer(clock.now() + soonMs, () => {
        turn = sweep().catch((err: unknown) =>
          log.error({ err }, 'Files of recordings could not be removed.'),
        );
      });
    },
    async close() {
      isClosed = true;
      cancelSoon?.();
      cancelTurn?.();
      await turn;
      await sweeping?.catch(() => {});
      cancelTurn?.();
    },
  };
}
