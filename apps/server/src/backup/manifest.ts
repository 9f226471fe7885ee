import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from '../command-line/command.ts';
import { isJsonObject, readJsonFile } from '../command-line/read-json-file.ts';

/** What a backup consists of; written last, so that a backup without it is unfinished. */
export interface BackupManifest {
  readonly format: 1;
  /** Of the Jackfield that made it. */
  readonly version: string;
  readonly createdAt: string;
  readonly database: 'sqlite' | 'postgres';
  /** Every other file, by its path in the backup. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** Names in a backup. The key and the token of the first account are called as in the data directory. */
export const backupFiles = {
  manifest: 'manifest.json',
  sqlite: 'jackfield.sqlite',
  postgres: 'database.dump',
  key: 'secret.key',
  token: 'auth_token',
  recordings: 'recordings',
} as const;

export async function describeFile(path: string): Promise<BackupManifest['files'][string]> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { bytes: statSync(path).size, sha256: hash.digest('hex') };
}

/** Reads the manifest and compares every file with it; throws a sentence that names the first that differs. */
export async function readBackup(directory: string): Promise<BackupManifest> {
  const path = join(directory, backupFiles.manifest);
  if (!existsSync(path))
    throw new CommandFailure(
      `${directory} is no backup: it has no ${backupFiles.manifest}, which jackfield backup writes last.`,
    );
  const manifest = checked(path, readJsonFile(path, 'use another backup'));
  for (const [name, expected] of Object.entries(manifest.files)) {
    const file = join(directory, name);
    if (name.split('/').includes('..') || !existsSync(file) || !statSync(file).isFile())
      throw new CommandFailure(`${file} is missing from the backup: use another backup.`);
    const found = await describeFile(file);
    if (found.sha256 !== expected.sha256)
      throw new CommandFailure(
        `${file} is damaged: it has ${found.bytes} bytes, ${manifest.createdAt} it had ${expected.bytes} others: use another backup.`,
      );
  }
  return manifest;
}

/** Its files are compared with their sums; the rest must have the shape that a backup writes. */
function checked(path: string, read: unknown): BackupManifest {
  const refuse = (sentence: string): never => {
    throw new CommandFailure(`${path} ${sentence}: use another backup.`);
  };
  if (!isJsonObject(read)) return refuse('must be an object');
  const { format, database, files } = read;
  if (format !== 1)
    return refuse(`has the format ${JSON.stringify(format)}, and this version reads format 1`);
  if (database !== 'sqlite' && database !== 'postgres')
    return refuse(`has the database ${JSON.stringify(database)}; it must be sqlite or postgres`);
  if (!isJsonObject(files) || Object.keys(files).length === 0) return refuse('has no files');
  for (const [name, file] of Object.entries(files)) {
    if (!isJsonObject(file) || typeof file.sha256 !== 'string' || typeof file.bytes !== 'number')
      return refuse(`has files[${JSON.stringify(name)}] without bytes and sha256`);
  }
  const needed = [backupFiles[database], backupFiles.key].find((name) => !Object.hasOwn(files, name));
  if (needed !== undefined) return refuse(`does not name ${needed}`);
  return read as unknown as BackupManifest;
}
