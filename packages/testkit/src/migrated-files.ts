import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteDatabase } from '@jackfield/adapters/database-sqlite';
import type { Database, Logger, Migration } from '@jackfield/ports';
import type { QueryExecutor } from 'kysely';
import { executedBy } from './executed-by.ts';

/** Migrated files by the text of their migrations, for all tests of a process. */
const known = new Map<string, Promise<Uint8Array>>();

/**
 * An embedded database that opens its file at its first query. Where `migrate` comes before, a new file is a copy of a migrated one: creating
 * the tables takes 0.1 s of CPU, more than most tests.
 */
export function createCopiedDatabase(options: {
  readonly directory: string;
  readonly log: Logger;
}): Database {
  let opened: Database | undefined;
  const open = (): Database => {
    opened ??= createSqliteDatabase(options);
    return opened;
  };
  let unopened: Database['read'] | undefined;
  return {
    dialect: 'sqlite',
    get read() {
      if (opened !== undefined) return opened.read;
      // Parts of the platform compile their queries before `migrate`.
      unopened ??= readOnceOpened(() => open().read.getExecutor(), options.log);
      return unopened;
    },
    transact: (work, options) => open().transact(work, options),
    isShared: false,
    lanes: 1,
    join() {},
    laneOf: () => 0,
    laneOfUnit: () => 0,
    async migrate(migrations, areAll) {
      if (opened === undefined) await copyInto(options, migrations);
      await open().migrate(migrations, areAll);
    },
    isNew: () => open().isNew(),
    isUniqueViolation: (error) => open().isUniqueViolation(error),
    close: async () => opened?.close(),
  };
}

function readOnceOpened(opened: () => QueryExecutor, log: Logger): Database['read'] {
  const compiler = compilingRead(log)
    .getExecutor()
    .withConnectionProvider({ provideConnection: (consume) => opened().provideConnection(consume) });
  return executedBy(compiler, (...query) => opened().executeQuery(...query));
}

let compiling: Database['read'] | undefined;

/** Of a closed database: compiling a query needs no file. */
function compilingRead(log: Logger): Database['read'] {
  if (compiling !== undefined) return compiling;
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-compiling-'));
  const database = createSqliteDatabase({ directory, log });
  compiling = database.read;
  void database.close().then(() => rmSync(directory, { recursive: true, force: true }));
  return compiling;
}

async function copyInto(
  { directory, log }: { readonly directory: string; readonly log: Logger },
  migrations: readonly Migration[],
): Promise<void> {
  const file = await fileWith(migrations, log);
  mkdirSync(directory, { recursive: true });
  try {
    writeFileSync(join(directory, 'jackfield.sqlite'), file, { flag: 'wx' });
  } catch (error) {
    // Data of an earlier process is there, and stays.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function fileWith(migrations: readonly Migration[], log: Logger): Promise<Uint8Array> {
  const key = JSON.stringify(migrations);
  const file = known.get(key) ?? migratedFile(migrations, log);
  known.set(key, file);
  return file;
}

async function migratedFile(migrations: readonly Migration[], log: Logger): Promise<Uint8Array> {
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-migrated-'));
  try {
    const database = createSqliteDatabase({ directory, log });
    try {
      await database.migrate(migrations);
    } finally {
      // Closing writes the WAL back into the file.
      await database.close();
    }
    return readFileSync(join(directory, 'jackfield.sqlite'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
