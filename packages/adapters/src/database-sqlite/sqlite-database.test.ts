import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Database } from '@jackfield/platform';
import {
  createRecordingLog,
  databaseContract,
  killedWhileWriting,
  onEmbeddedDatabase,
} from '@jackfield/testkit';
import { sql } from 'kysely';
import { createSqliteDatabase } from './index.ts';

onEmbeddedDatabase('the database port', databaseContract);

describe('the data directory of the embedded database', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'jackfield-sqlite-'));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));
  const open = (): Database => createSqliteDatabase({ directory, log: createRecordingLog() });

  test('is created when it is not there', async () => {
    const file = join(directory, 'deep/er/data.sqlite');
    await createSqliteDatabase({ file, log: createRecordingLog() }).close();
    await createSqliteDatabase({ file, log: createRecordingLog() }).close();
  });

  test('belongs to one at a time: the second is told who has it', async () => {
    const first = open();
    const expected = { name: 'DataLockedError', code: 'data-locked', holder: process.pid };
    assert.throws(open, expected);
    assert.throws(open, new RegExp(`in use by process ${process.pid};`));
    await first.close();
    await open().close();
  });

  test('keeps every row that was acknowledged before kill -9, and its lock dies with the process', async () => {
    const { pid, acknowledged, child } = killedWhileWriting(
      join(import.meta.dirname, 'index.ts'),
      'createSqliteDatabase',
      { directory },
    );
    await acknowledged(300);
    assert.throws(open, { code: 'data-locked', holder: pid });
    child.kill('SIGKILL');
    await once(child, 'close');
    const last = await acknowledged(0);
    const database = open();
    const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM written WHERE n <= ${last}`.execute(
      database.read,
    );
    assert.deepEqual(rows, [{ n: last + 1 }]);
    await database.close();
  });
});
