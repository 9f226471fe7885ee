import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import { createLogger } from '@jackfield/adapters/logger';
import type { Config } from '../config.ts';
import { explainPostgres } from '../start-failure.ts';
import { type Finding, fault, reasonOf, sound, warning } from './finding.ts';

const log = createLogger({ level: 'error' });

/** An hour of a recording takes 28.8 MB as MP3; below this the disk is full within days. */
const littleBytes = 2e9;
const tooLittleBytes = 200e6;

/** The data directory with its disk, and the database. Nothing is written. */
export async function examineStorage(config: Config): Promise<readonly Finding[]> {
  return [examineDisk(config), await examineDatabase(config)];
}

function examineDisk({ dataDir }: Config): Finding {
  const subject = 'disk';
  let existing = dataDir;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK);
  } catch {
    return fault(
      subject,
      `JACKFIELD_DATA_DIR: this user may not write to ${existing}; change its owner, or name another directory`,
    );
  }
  const { bavail, bsize } = statfsSync(existing);
  const free = bavail * bsize;
  const shown = `${(free / 1e9).toFixed(1)} GB are free at ${dataDir}`;
  if (free >= littleBytes) return sound(subject, shown);
  const sentence = `JACKFIELD_DATA_DIR: only ${shown}; free space, limit JACKFIELD_RECORDING_DAYS, or name another directory`;
  return free < tooLittleBytes ? fault(subject, sentence) : warning(subject, sentence);
}

async function examineDatabase({ dataDir, databaseUrl }: Config): Promise<Finding> {
  const subject = 'database';
  if (databaseUrl !== undefined) return examinePostgres(databaseUrl);
  const file = join(dataDir, 'jackfield.sqlite');
  if (!existsSync(file)) return sound(subject, `embedded; the first start makes ${file}`);
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    try {
      const found = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})[0];
      if (found === 'ok') return sound(subject, `embedded, ${file}: every page is sound`);
      return fault(subject, `JACKFIELD_DATA_DIR: ${file} is damaged (${String(found)}); restore a backup`);
    } finally {
      database.close();
    }
  } catch (error) {
    return fault(
      subject,
      `JACKFIELD_DATA_DIR: ${file} cannot be read (${reasonOf(error)}); allow this user to read it, or restore a backup`,
    );
  }
}

async function examinePostgres(url: string): Promise<Finding> {
  const database = createPostgresDatabase({ url, log });
  try {
    const isNew = await database.isNew();
    return sound('database', isNew ? 'PostgreSQL answers; the database is empty' : 'PostgreSQL answers');
  } catch (error) {
    return fault('database', explainPostgres(error) ?? `JACKFIELD_DATABASE_URL: ${reasonOf(error)}`);
  } finally {
    await database.close();
  }
}
