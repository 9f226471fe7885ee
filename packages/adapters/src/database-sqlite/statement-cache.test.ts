import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createStatementCache } from './statement-cache.ts';

test('a statement is prepared once while it is in use, and the least recently used one makes room', () => {
  const database = new DatabaseSync(':memory:');
  const prepared: string[] = [];
  const counting = {
    prepare(sql: string) {
      prepared.push(sql);
      return database.prepare(sql);
    },
  } as DatabaseSync;
  const cache = createStatementCache(counting, 3);
  const [a, b, c, d] = ['SELECT 1', 'SELECT 2', 'SELECT 3', 'SELECT 4'] as const;
  for (const sql of [a, b, c, a, d, a]) cache.prepare(sql);
  assert.deepEqual(prepared, [a, b, c, d]);
  cache.prepare(b);
  assert.deepEqual(prepared, [a, b, c, d, b]);
  database.close();
});

test('a statement has the names of its columns; without rows it has none', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE t (x)');
  const cache = createStatementCache(database);
  assert.deepEqual(cache.prepare('SELECT x, 1 AS one FROM t').columns, ['x', 'one']);
  assert.deepEqual(cache.prepare('INSERT INTO t VALUES (1) RETURNING x').columns, ['x']);
  assert.deepEqual(cache.prepare('INSERT INTO t VALUES (1)').columns, []);
  database.close();
});
