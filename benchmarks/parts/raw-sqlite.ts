import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Load } from '../measure.ts';
import { servePart } from '../part.ts';

/** The floor of durable writes: a row as large as an endpoint, committed and synced, without other work. */
const directory = mkdtempSync(join(tmpdir(), 'jackfield-bench-'));
const database = new DatabaseSync(join(directory, 'floor.sqlite'));
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
database.exec(
  'CREATE TABLE thing (id TEXT PRIMARY KEY, owner TEXT, name TEXT UNIQUE, a TEXT, b TEXT, c TEXT, at INTEGER)',
);
const insert = database.prepare('INSERT INTO thing VALUES (?, ?, ?, ?, ?, ?, ?)');
const select = database.prepare('SELECT * FROM thing WHERE id = ?');
const digest = 'd'.repeat(64);
let rows = 0;

servePart({
  /** `perCommit` rows share one sync. */
  insert: ({ seconds, perCommit }: { readonly seconds: number; readonly perCommit: number }) =>
    repeat(seconds, perCommit, () => {
      database.exec('BEGIN IMMEDIATE');
      for (let index = 0; index < perCommit; index++) {
        rows += 1;
        insert.run(`id-${rows}`, 'MABENCHMARK000000000', `u${rows}`, digest, digest, digest, rows);
      }
      database.exec('COMMIT');
    }),
  read: ({ seconds }: { readonly seconds: number }) => {
    let at = 0;
    return repeat(seconds, 1, () => {
      at = (at + 7919) % rows;
      select.get(`id-${at + 1}`);
    });
  },
  stop() {
    database.close();
    rmSync(directory, { recursive: true, force: true });
  },
});

function repeat(seconds: number, operationsEach: number, work: () => void): Load {
  const start = performance.now();
  let operations = 0;
  for (;;) {
    work();
    operations += operationsEach;
    const took = (performance.now() - start) / 1000;
    if (took >= seconds) return { operations, seconds: took, failures: 0 };
  }
}
