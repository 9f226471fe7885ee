import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Migration } from '@jackfield/ports';
import { sql } from 'kysely';
import type { OpenDatabase } from './each-database.ts';

/** Migrations: their order, their refusals, and what an earlier version makes of those of a newer one. */
export function migrationContract(open: OpenDatabase): void {
  const create = (name: string, statements: string): Migration => ({ name, sql: statements });

  test('migrations are applied in the order given, once', async () => {
    const database = await open();
    const first = create('m/0001', 'CREATE TABLE one (id {{identity}}, x TEXT)');
    const second = create('m/0002', "INSERT INTO one (x) VALUES ('a'); INSERT INTO one (x) VALUES ('b')");
    await database.migrate([first, second]);
    await database.migrate([first, second]);
    const { rows } = await sql<object>`SELECT id, x FROM one ORDER BY id`.execute(database.read);
    assert.deepEqual(rows, [
      { id: 1, x: 'a' },
      { id: 2, x: 'b' },
    ]);
    await database.migrate([first, second, create('m/0003', 'ALTER TABLE one ADD COLUMN y BIGINT')]);
    const after = await sql<object>`SELECT * FROM one WHERE id = 1`.execute(database.read);
    assert.deepEqual(after.rows, [{ id: 1, x: 'a', y: null }]);
  });

  test('a migration that was edited after it had been applied is refused by its name', async () => {
    const database = await open([create('m/0001', 'CREATE TABLE one (x TEXT)')]);
    await assert.rejects(
      database.migrate([create('m/0001', 'CREATE TABLE one (x BIGINT)')]),
      /m\/0001 was edited/,
    );
    await assert.rejects(
      database.migrate([
        create('m/0002', 'CREATE TABLE two (x TEXT)'),
        create('m/0002', 'CREATE TABLE three (x TEXT)'),
      ]),
      /two migrations are called m\/0002/,
    );
  });

  test('an earlier version starts on migrations that only add, and is refused by a migration that takes something away', async () => {
    const earlier = create('m/0001', 'CREATE TABLE one (x TEXT)');
    const adds = create('m/0002', 'ALTER TABLE one ADD COLUMN y TEXT');
    const database = await open([earlier, adds]);
    await database.migrate([earlier], true);
    const takes = { ...create('m/0003', 'ALTER TABLE one DROP COLUMN x'), contracts: 'the column x' };
    await database.migrate([earlier, adds, takes], true);
    await assert.rejects(database.migrate([earlier], true), /newer version.*\(m\/0003\)/);
  });

  test('the table of migrations of a version that recorded less is completed, and its migrations count as taking away', async () => {
    const [known, later] = [
      create('m/0001', 'CREATE TABLE one (x TEXT)'),
      create('m/0002', 'CREATE TABLE two (x TEXT)'),
    ];
    const database = await open([known, later]);
    await database.transact(async (write) => {
      await sql`ALTER TABLE schema_migrations DROP COLUMN contracts`.execute(write);
    });
    await database.migrate([known, later], true);
    await assert.rejects(database.migrate([known], true), /newer version.*\(m\/0002\)/);
  });

  test('a migration that fails leaves nothing of itself, and what came before it stays', async () => {
    const database = await open();
    const good = create('m/0001', 'CREATE TABLE one (x TEXT)');
    const bad = create('m/0002', 'CREATE TABLE two (x TEXT); INSERT INTO nowhere VALUES (1)');
    await assert.rejects(database.migrate([good, bad]), /m\/0002 failed/);
    await database.migrate([good, create('m/0002', 'CREATE TABLE two (x TEXT)')]);
    const { rows } = await sql<object>`SELECT * FROM two`.execute(database.read);
    assert.deepEqual(rows, []);
  });

  test('two that migrate at the same time take turns', async () => {
    const database = await open();
    const migrations = [
      create('m/0001', 'CREATE TABLE one (x TEXT)'),
      create('m/0002', "INSERT INTO one VALUES ('a')"),
    ];
    await Promise.all([
      database.migrate(migrations),
      database.migrate(migrations),
      database.migrate(migrations),
    ]);
    const { rows } = await sql<object>`SELECT x FROM one`.execute(database.read);
    assert.deepEqual(rows, [{ x: 'a' }]);
  });
}
