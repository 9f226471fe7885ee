import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  createPostgresDatabase,
  restorePostgresDatabase,
  takeProcessLock,
} from '@jackfield/adapters/database-postgres';
import { lockData } from '@jackfield/adapters/database-sqlite';
import { createLogger } from '@jackfield/adapters/logger';
import { parseSecretKey } from '@jackfield/adapters/secrets';
import { CommandFailure } from '../command-line/command.ts';
import type { Config } from '../config.ts';
import { makeDirectory, unfinishedRestore } from '../data-directory.ts';
import { newFilesIn } from '../write-faults.ts';
import { type BackupManifest, backupFiles, readBackup } from './manifest.ts';

/** Faults come as errors; nothing else is worth a line. */
const log = createLogger({ level: 'error' });

type Stored = Pick<Config, 'dataDir' | 'databaseUrl' | 'secretKey'>;

/** What a restore writes into the data directory, the database last. */
const restored = [backupFiles.recordings, backupFiles.key, backupFiles.token, backupFiles.sqlite];

/**
 * Puts a backup into an empty data directory, and into an empty database of PostgreSQL. A fault removes what was written; after a kill the
 * directory `unfinishedRestore` is left, with which no server starts, and the next restore begins anew.
 */
export async function restoreBackup(stored: Stored, from: string): Promise<BackupManifest> {
  const added = newFilesIn(stored.dataDir, backupFiles.sqlite);
  try {
    return await restoreInto(stored, from);
  } catch (error) {
    added.remove();
    throw error;
  }
}

async function restoreInto(stored: Stored, from: string): Promise<BackupManifest> {
  const manifest = await readBackup(from);
  const { dataDir, databaseUrl, secretKey } = stored;
  checkKind(manifest, databaseUrl);
  await checkKey(from, secretKey);
  makeDirectory(dataDir);
  const unlock = await lockedData(stored);
  const staging = join(dataDir, unfinishedRestore);
  try {
    if (existsSync(staging)) await removeAll(dataDir);
    const present = restored.find((name) => existsSync(join(dataDir, name)));
    if (present !== undefined)
      throw new CommandFailure(
        `JACKFIELD_DATA_DIR: ${dataDir} has ${present} already: name an empty directory, or move this one away.`,
      );
    if (databaseUrl !== undefined) await checkEmpty(databaseUrl);
    try {
      await stage(from, staging, manifest);
      for (const name of restored)
        if (existsSync(join(staging, name))) await rename(join(staging, name), join(dataDir, name));
      if (databaseUrl !== undefined)
        await restorePostgresDatabase(databaseUrl, join(from, backupFiles.postgres));
    } catch (error) {
      await removeAll(dataDir);
      throw error;
    }
    await rm(staging, { recursive: true });
  } finally {
    await unlock();
  }
  return manifest;
}

function checkKind({ database }: BackupManifest, databaseUrl: string | undefined): void {
  const configured = databaseUrl === undefined ? 'sqlite' : 'postgres';
  if (database === configured) return;
  throw new CommandFailure(
    database === 'sqlite'
      ? 'JACKFIELD_DATABASE_URL is set, and the backup has an embedded database: unset it to restore this backup.'
      : 'JACKFIELD_DATABASE_URL is not set, and the backup has a database of PostgreSQL: set it to the URL of an empty database.',
  );
}

async function checkKey(from: string, given: Uint8Array | undefined): Promise<void> {
  if (given === undefined) return;
  const kept = parseSecretKey(await readFile(join(from, backupFiles.key), 'utf8'));
  if (kept === undefined || !Buffer.from(kept).equals(given))
    throw new CommandFailure(
      'JACKFIELD_SECRET_KEY is not the key of the backup: unset it, and the key of the backup comes into the data directory.',
    );
}

/** The locks of a server: none may run. */
async function lockedData({ dataDir, databaseUrl: url }: Stored): Promise<() => Promise<void>> {
  if (url === undefined) {
    const unlock = lockData(join(dataDir, `${backupFiles.sqlite}.lock`));
    return async () => unlock();
  }
  const lock = await takeProcessLock({ url, log, onTaken: () => {}, waitMs: 0 });
  return () => lock.release();
}

async function checkEmpty(url: string): Promise<void> {
  const database = createPostgresDatabase({ url, log });
  try {
    if (!(await database.isNew()))
      throw new CommandFailure(
        'JACKFIELD_DATABASE_URL: the database has tables of Jackfield already: name an empty one.',
      );
  } finally {
    await database.close();
  }
}

async function stage(from: string, staging: string, { files }: BackupManifest): Promise<void> {
  await mkdir(staging, { mode: 0o700 });
  for (const name of Object.keys(files)) {
    if (name === backupFiles.postgres) continue;
    const to = join(staging, name);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await copyFile(join(from, name), to);
  }
}

async function removeAll(dataDir: string): Promise<void> {
  for (const name of [...restored, unfinishedRestore])
    await rm(join(dataDir, name), { recursive: true, force: true });
}
