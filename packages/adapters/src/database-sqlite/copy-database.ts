import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Copies the database in `directory` to the new file `to`, as of one moment, also while another process writes: the copy is one read transaction in
 * WAL mode (https://sqlite.org/lang_vacuum.html#vacuuminto). Throws when the copy is not sound.
 */
export function copySqliteDatabase(directory: string, to: string): void {
  const file = join(directory, 'jackfield.sqlite');
  if (!existsSync(file)) throw new Error(`${file} does not exist: there is no embedded database to copy`);
  const source = openSource(file);
  try {
    source.prepare('VACUUM INTO ?').run(to);
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(to, { readOnly: true });
  try {
    const found = Object.values(copy.prepare('PRAGMA quick_check(1)').get() ?? {})[0];
    if (found !== 'ok') throw new Error(`the copy of ${file} is damaged: ${String(found)}`);
  } finally {
    copy.close();
  }
}

/** The first value that a query of a copy returns; undefined without a row, or without the table. */
export function valueInSqliteCopy(file: string, table: string, query: string): unknown {
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    const isThere = copy.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
    return isThere && Object.values(copy.prepare(query).get() ?? {})[0];
  } finally {
    copy.close();
  }
}

/** Opens the database to be copied; its faults must not look like faults of the copy. */
function openSource(file: string): DatabaseSync {
  let source: DatabaseSync | undefined;
  try {
    source = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
    source.prepare('PRAGMA schema_version').get();
    return source;
  } catch (error) {
    source?.close();
    throw new Error(`${file} cannot be read as a database (${(error as Error).message}): it is not copied`);
  }
}
