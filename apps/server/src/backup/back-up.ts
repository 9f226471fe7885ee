import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { dumpPostgresDatabase } from '@jackfield/adapters/database-postgres';
import { copySqliteDatabase } from '@jackfield/adapters/database-sqlite';
import { CommandFailure } from '../command-line/command.ts';
import type { Config } from '../config.ts';
import { makeDirectory } from '../data-directory.ts';
import { version } from '../version.ts';
import { isThere, newDirectories } from '../write-faults.ts';
import { keyOfBackup } from './backup-key.ts';
import { type BackupManifest, backupFiles, describeFile } from './manifest.ts';

type Stored = Pick<Config, 'dataDir' | 'databaseUrl' | 'secretKey'>;

/**
 * Writes everything that a server needs to be itself again into the new directory `to`: the database as of one moment, the key, and the
 * recordings on its disk. The server may run meanwhile. Either the whole backup is under its name or nothing is, also after `signal`.
 */
export async function backUp(stored: Stored, to: string, signal: AbortSignal): Promise<BackupManifest> {
  const { dataDir, databaseUrl } = stored;
  const target = resolve(to);
  if (isThere(target)) throw new CommandFailure(`${target} exists: name a new directory.`);
  const added = newDirectories(dirname(target));
  const unfinished = `${target}.unfinished-${process.pid}`;
  try {
    makeDirectory(dirname(target));
    await mkdir(unfinished, { mode: 0o700 });
    const within = (name: string) => join(unfinished, name);
    if (databaseUrl === undefined) copySqliteDatabase(dataDir, within(backupFiles.sqlite));
    else await dumpPostgresDatabase(databaseUrl, within(backupFiles.postgres), signal);
    const key = await keyOfBackup(stored, within(backupFiles.sqlite));
    await writeDurably(within(backupFiles.key), key);
    const token = join(dataDir, backupFiles.token);
    if (existsSync(token)) await copyFile(token, within(backupFiles.token));
    // After the database: a recording that its row names is there, unless it was deleted meanwhile.
    await copyRecordings(join(dataDir, backupFiles.recordings), within(backupFiles.recordings), signal);
    const manifest = await describe(unfinished, databaseUrl === undefined ? 'sqlite' : 'postgres', signal);
    await writeDurably(within(backupFiles.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
    await rename(unfinished, target);
    return manifest;
  } catch (error) {
    // Below a file there is nothing to remove.
    await rm(unfinished, { recursive: true, force: true }).catch(() => undefined);
    added.remove();
    if (signal.aborted) throw new CommandFailure('The backup was interrupted, and nothing is left of it.');
    throw underName(error, unfinished, target);
  }
}

/** The name that the user gave, in place of that of the unfinished backup. */
function underName(error: unknown, unfinished: string, target: string): unknown {
  for (const name of ['path', 'dest'] as const) {
    const fault = error as NodeJS.ErrnoException & { dest?: string };
    if (fault[name]?.startsWith(unfinished)) fault[name] = target + fault[name].slice(unfinished.length);
  }
  return error;
}

async function copyRecordings(from: string, to: string, signal: AbortSignal): Promise<void> {
  if (!existsSync(from)) return;
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    signal.throwIfAborted();
    if (!entry.isFile()) continue;
    try {
      await copyFile(join(from, entry.name), join(to, entry.name));
    } catch (error) {
      // Deleted since the directory was read.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

async function describe(
  directory: string,
  database: BackupManifest['database'],
  signal: AbortSignal,
): Promise<BackupManifest> {
  const files: Record<string, BackupManifest['files'][string]> = {};
  for (const name of (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort()) {
    signal.throwIfAborted();
    const path = join(directory, name);
    const file = await open(path, 'r+');
    await file.chmod(0o600);
    await file.sync();
    await file.close();
    files[name] = await describeFile(path);
  }
  return { format: 1, version, createdAt: new Date().toISOString(), database, files };
}

async function writeDurably(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600, flush: true });
}
