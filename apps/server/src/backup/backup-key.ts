import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { valueInPostgresDatabase } from '@jackfield/adapters/database-postgres';
import { valueInSqliteCopy } from '@jackfield/adapters/database-sqlite';
import { createSecrets, parseSecretKey } from '@jackfield/adapters/secrets';
import { CommandFailure } from '../command-line/command.ts';
import type { Config } from '../config.ts';
import { backupFiles } from './manifest.ts';

/** The token of the first account: each database that has been used has one. */
const table = 'accounts';
const sealedText = 'SELECT token_sealed FROM accounts ORDER BY position LIMIT 1';

/** The key of a backup, as its file has it. It opens the database: a backup with another key could never be used. */
export async function keyOfBackup(
  { dataDir, databaseUrl, secretKey }: Pick<Config, 'dataDir' | 'databaseUrl' | 'secretKey'>,
  sqliteCopy: string,
): Promise<string> {
  const file = join(dataDir, backupFiles.key);
  const text = secretKey === undefined ? await keyIn(file) : `${Buffer.from(secretKey).toString('hex')}\n`;
  const key = parseSecretKey(text);
  const sealed =
    databaseUrl === undefined
      ? valueInSqliteCopy(sqliteCopy, table, sealedText)
      : await valueInPostgresDatabase(databaseUrl, table, sealedText);
  if (key === undefined || (typeof sealed === 'string' && !opens(key, sealed)))
    throw new CommandFailure(
      secretKey === undefined
        ? `${file} is not the key of the database, and a backup with it could never be used: set JACKFIELD_SECRET_KEY to the key of the server.`
        : 'JACKFIELD_SECRET_KEY is not the key of the database, and a backup with it could never be used: set it as the server has it.',
    );
  return text;
}

async function keyIn(file: string): Promise<string> {
  if (existsSync(file)) return readFile(file, 'utf8');
  throw new CommandFailure(
    `${file} is missing, and without it the database cannot be read: set JACKFIELD_SECRET_KEY, or JACKFIELD_DATA_DIR to the directory of the server.`,
  );
}

function opens(key: Uint8Array, sealed: string): boolean {
  try {
    createSecrets(key).decrypt(sealed);
    return true;
  } catch {
    return false;
  }
}
