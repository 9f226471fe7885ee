import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Logger } from '@jackfield/ports';

/** In a data directory while `jackfield restore` writes to it. */
export const unfinishedRestore = '.restoring';

const ownerOnly = { directory: 0o700, file: 0o600 };

/**
 * Creates the directory and missing parents for the owner alone; removes the rights of others from an existing one. Files that are written
 * later belong to the owner alone as well.
 */
export function openDataDirectory(directory: string, log: Logger): void {
  process.umask(0o077);
  if (existsSync(join(directory, unfinishedRestore)))
    throw new Error(`a restore into ${directory} was cut off: run jackfield restore again`);
  makeDirectory(directory);
  tighten(directory, ownerOnly.directory, log);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isFile() && /^(?:jackfield\.sqlite|secret\.key)/.test(entry.name))
      tighten(path, ownerOnly.file, log);
    // The files in it were always written for the owner alone.
    if (entry.isDirectory() && entry.name === 'recordings') tighten(path, ownerOnly.directory, log);
  }
}

/**
 * Creates the directory and its missing parents for the owner alone, each separately: `mkdirSync` with `recursive` never returns below a directory that allows no subdirectories, such as /proc.
 */
export function makeDirectory(directory: string): void {
  if (existsSync(directory)) {
    if (!statSync(directory).isDirectory())
      throw Object.assign(new Error(`${directory} is no directory`), { code: 'ENOTDIR' });
    return;
  }
  makeDirectory(dirname(directory));
  mkdirSync(directory, ownerOnly.directory);
}

function tighten(path: string, mode: number, log: Logger): void {
  const current = statSync(path).mode & 0o777;
  if ((current & ~mode) === 0) return;
  const fields = { path, mode: current.toString(8), allowed: mode.toString(8) };
  try {
    chmodSync(path, current & mode);
    log.warn(fields, 'access rights of other users removed');
  } catch (error) {
    log.warn(
      { ...fields, reason: (error as Error).message },
      'access rights of other users could not be removed',
    );
  }
}
