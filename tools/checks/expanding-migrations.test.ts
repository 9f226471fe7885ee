import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expandingMigrations } from './expanding-migrations.ts';

const path = 'packages/platform/src/features/calls/migrations/0099-later.ts';
const find = (sql: string, contracts?: string) => {
  const said = contracts === undefined ? '' : `  contracts: '${contracts}',\n`;
  const text = `/** DROP TABLE calls */\nexport const later = {\n  name: 'calls/0099-later',\n${said}  sql: \`${sql}\`,\n};`;
  return expandingMigrations.find([{ path, text }]);
};

for (const sql of [
  "CREATE TABLE a (b TEXT); CREATE UNIQUE INDEX a_b ON a (b); INSERT INTO a VALUES ('1');",
  'CREATE INDEX calls_by_x ON calls (x);',
  'ALTER TABLE calls ADD COLUMN x TEXT; UPDATE calls SET x = y WHERE z > 0;',
  "ALTER TABLE calls ADD COLUMN x TEXT NOT NULL DEFAULT '';",
  'CREATE TABLE a (b TEXT);\nALTER TABLE a ADD COLUMN c TEXT NOT NULL; -- DROP TABLE calls;',
]) {
  test(`adds: ${sql}`, () => assert.deepEqual(find(sql), []));
}

for (const [sql, taken] of [
  ['DROP INDEX calls_by_x', /'DROP INDEX calls_by_x' does more than add/],
  ['ALTER TABLE calls DROP COLUMN x', /DROP COLUMN x/],
  ['ALTER TABLE calls RENAME TO legs', /RENAME/],
  ['ALTER TABLE calls ADD COLUMN x TEXT NOT NULL', /NOT NULL/],
  ['ALTER TABLE calls ADD COLUMN x TEXT UNIQUE', /UNIQUE/],
  ['CREATE UNIQUE INDEX one ON calls (x)', /UNIQUE/],
  ['UPDATE calls SET state = 1', /UPDATE/],
  ['DELETE FROM calls', /DELETE/],
] as const) {
  test(`takes something away, and has to say what: ${sql}`, () => {
    const [violation] = find(sql);
    assert.match(violation?.sentence ?? '', taken);
    assert.equal(violation?.path, path);
    assert.deepEqual(find(sql, 'what it was'), []);
  });
}

test('a migration that only adds does not say that it takes something away', () => {
  assert.match(find('CREATE TABLE a (b TEXT)', 'nothing')[0]?.sentence ?? '', /only adds/);
});

test('a migration that gives a table another form says how an earlier release goes on', () => {
  const text = (said: string) =>
    `export const later = {\n  name: 'calls/0099-later',\n${said}  sql: '',\n  postgres: \`ALTER TABLE calls RENAME TO legs\`,\n};`;
  assert.match(expandingMigrations.find([{ path, text: text('') }])[0]?.sentence ?? '', /RENAME.*'reshapes'/);
  assert.deepEqual(expandingMigrations.find([{ path, text: text("  reshapes: 'it finds legs',\n") }]), []);
});

test('SQL that a function puts together is read where its parts stand', () => {
  const text =
    "const made = (t) => `DROP INDEX ${t}_old;`;\nexport const a = {\n  name: 'a/1',\n  sql: `${made('x')}`,\n};";
  assert.equal(expandingMigrations.find([{ path, text }]).length, 1);
  const quoted = "export const a = {\n  name: 'a/1',\n  sql: 'DROP TABLE a',\n};";
  assert.equal(expandingMigrations.find([{ path, text: quoted }]).length, 1);
});
