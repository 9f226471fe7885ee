import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Database } from '@jackfield/ports';
import {
  createRecordingLog,
  databaseContract,
  killedWhileWriting,
  onEmbeddedDatabase,
} from '@jackfield/testkit';
import { sql } from 'kysely';
import { createSqliteDatabase } from './index.ts';

onEmbeddedDatabase('the database port', databaseContract);

describe('commits of the embedded database', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'jackfield-sqlite-'));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));
  const open = (name: string): Database =>
    createSqliteDatabase({ file: join(directory, `${name}.sqlite`), log: createRecordingLog() });

  test('units of turns that follow each other share a commit', async () => {
    const database = open('shared');
    await database.migrate([{ name: 's/1', sql: 'CREATE TABLE s (n BIGINT PRIMARY KEY)' }]);
    const insert = (n: number) =>
      database.transact((write) => sql`INSERT INTO s VALUES (${n})`.execute(write));
    const first = insert(1);
    await new Promise(setImmediate);
    const second = insert(2);
    await first;
    const { rows } = await sql`SELECT n FROM s ORDER BY n`.execute(database.read);
    assert.deepEqual(rows, [{ n: 1 }, { n: 2 }]);
    await second;
    await database.close();
  });

  test('a query that ran before a migration returns the new columns after it', async () => {
    const database = open('columns');
    const create = { name: 'c/1', sql: 'CREATE TABLE c (n BIGINT); INSERT INTO c VALUES (1)' };
    await database.migrate([create]);
    const all = async () => (await sql`SELECT * FROM c`.execute(database.read)).rows;
    assert.deepEqual(await all(), [{ n: 1 }]);
    await database.migrate([create, { name: 'c/2', sql: 'ALTER TABLE c RENAME COLUMN n TO m' }]);
    assert.deepEqual(await all(), [{ m: 1 }]);
    await database.close();
  });

  test('each commit is seen by the next read, and reads between commits let the WAL begin again', async () => {
    const database = open('reads');
    await database.migrate([{ name: 'r/1', sql: 'CREATE TABLE r (n BIGINT PRIMARY KEY, pages BLOB)' }]);
    let longest = 0;
    for (let n = 0; n < 300; n++) {
      await database.transact((write) => sql`INSERT INTO r VALUES (${n}, zeroblob(40960))`.execute(write));
      const last = sql<{ n: number }>`SELECT n FROM r ORDER BY n DESC LIMIT 1`;
      for (let again = 0; again < 2; again++)
        assert.deepEqual((await last.execute(database.read)).rows, [{ n }]);
      longest = Math.max(longest, statSync(join(directory, 'reads.sqlite-wal')).size);
    }
    // SQLite writes it back after 1,000 pages of 4 KiB; of 300 rows there are 3,000.
    assert.ok(longest < 5_000_000, `${longest} bytes`);
    await database.close();
  });
});

describe('the data directory of the embedded database', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'jackfield-sqlite-'));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));
  const open = (): Database => createSqliteDatabase({ directory, log: createRecordingLog() });

  test('is created when it is missing', async () => {
    const file = join(directory, 'deep/er/data.sqlite');
    await createSqliteDatabase({ file, log: createRecordingLog() }).close();
    await createSqliteDatabase({ file, log: createRecordingLog() }).close();
  });

  test('belongs to one process at a time: the error for the second names the first', async () => {
    const first = open();
    const expected = { name: 'DataLockedError', code: 'data-locked', holder: process.pid };
    assert.throws(open, expected);
    assert.throws(open, new RegExp(`in use by process ${process.pid};`));
    await first.close();
    await open().close();
  });

  test('that is full refuses with an error, keeps committed rows, and goes on when there is room', async () => {
    const log = createRecordingLog();
    const database = createSqliteDatabase({ file: join(directory, 'full.sqlite'), log });
    await database.migrate([
      { name: 'f/1', sql: 'CREATE TABLE f (n BIGINT PRIMARY KEY, data TEXT NOT NULL)' },
    ]);
    const insert = (n: number, size: number) =>
      database.transact((write) => sql`INSERT INTO f VALUES (${n}, ${'x'.repeat(size)})`.execute(write));
    const limitPages = (pages: number) =>
      database.transact((write) => sql`PRAGMA max_page_count = ${sql.lit(pages)}`.execute(write));
    await insert(1, 10);
    await limitPages(20);
    const settled = await Promise.allSettled([insert(2, 10), insert(3, 1_000_000), insert(4, 10)]);
    const refused = settled[1]!;
    assert.equal(refused.status === 'rejected' && refused.reason.code, 'database-unavailable');
    const kept = settled.flatMap(({ status }, index) => (status === 'fulfilled' ? [{ n: index + 2 }] : []));
    await limitPages(1_000_000);
    await insert(5, 1_000_000);
    const { rows } = await sql`SELECT n FROM f ORDER BY n`.execute(database.read);
    assert.deepEqual(rows, [{ n: 1 }, ...kept, { n: 5 }]);
    await database.close();
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
