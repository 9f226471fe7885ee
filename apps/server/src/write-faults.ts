import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const sqliteCodes: Readonly<Record<number, string>> = {
  8: 'EROFS',
  10: 'EIO',
  11: 'NOTADB',
  13: 'ENOSPC',
  14: 'CANTOPEN',
  26: 'NOTADB',
};

/**
 * Why something could not be written at `path`, as a sentence without its full stop; undefined for faults of another kind. The fault may be
 * the cause of the error. A path that the system names comes first.
 */
export function explainWriting(error: unknown, path: string): string | undefined {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    const sentence = sentenceOf(fault as Fault, path);
    if (sentence !== undefined) return sentence;
  }
  return undefined;
}

/** Calls of the system that make a file or a directory, or give it its name. */
const creating: ReadonlySet<string> = new Set(['open', 'mkdir', 'rename', 'copyfile']);

interface Fault extends Error {
  readonly code?: unknown;
  /** Of SQLite; its higher bytes are details. */
  readonly errcode?: number;
  readonly syscall?: string;
  readonly path?: string;
  readonly dest?: string;
}

function sentenceOf({ code, errcode, syscall, path, dest }: Fault, at: string): string | undefined {
  // A port that this user may not have is no file.
  if (syscall === 'listen' || syscall === 'bind') return undefined;
  const where = dest ?? path ?? at;
  switch (errcode === undefined ? code : sqliteCodes[errcode & 0xff]) {
    case 'ENOSPC':
      return `no space is left for ${where}`;
    case 'EDQUOT':
      return `the quota of this user leaves no space for ${where}`;
    case 'EROFS':
      return `${where} is on a file system that is read-only, or a file of it is`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not write to ${where}`;
    // SQLite does not say which.
    case 'CANTOPEN':
      return `this user may not write to ${where}, or its file system is read-only`;
    // What SQLite reports where its shared memory or its log finds no space, and of a broken disk.
    case 'EIO':
      return `no space is left for ${where}, or its disk is broken`;
    case 'ENOTDIR':
      return `${where} is no directory, or is below a file`;
    case 'EISDIR':
      return `${where} is a directory`;
    case 'EEXIST':
      return `${where} exists already`;
    case 'ENAMETOOLONG':
      return `the name of ${where} is too long for its file system`;
    case 'ELOOP':
      return `${where} is a symbolic link that leads to itself`;
    case 'NOTADB':
      return `the database of ${where} is damaged, or is none: restore a backup`;
    // Of a path that was to be made. A program that is not installed is no file.
    case 'ENOENT':
      return syscall === undefined || !creating.has(syscall)
        ? undefined
        : `${where} cannot be made: its directory does not exist, or the file system allows no new files there`;
    default:
      return undefined;
  }
}

/** What is about to be written below a directory, to be removed when that fails. */
export interface NewFiles {
  /** Removes what has been added since, directories above it included. */
  remove(): void;
}

/** The directories that lead to this one; an existing one stays as it is. */
export function newDirectories(directory: string): NewFiles {
  let top = resolve(directory);
  // A symbolic link that leads nowhere is there, and stays.
  if (isThere(top)) return { remove() {} };
  while (!isThere(dirname(top))) top = dirname(top);
  return {
    remove() {
      // A name that the file system refuses was not made.
      if (isThere(top)) rmSync(top, { recursive: true, force: true });
    },
  };
}

/** Nothing is removed of a directory that has `kept` already. */
export function newFilesIn(directory: string, kept: string): NewFiles {
  const path = resolve(directory);
  if (!existsSync(path)) return newDirectories(path);
  const before = new Set(namesIn(path));
  if (before.has(kept)) return { remove() {} };
  return {
    remove() {
      for (const name of namesIn(path))
        if (!before.has(name)) rmSync(join(path, name), { recursive: true, force: true });
    },
  };
}

/** A symbolic link is there although it may lead nowhere. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Empty for a path that is no directory or cannot be read. */
function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
