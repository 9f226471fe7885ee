import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findLongFunctions, judged, type LongFunction } from './function-lengths.ts';

const workspace = join(import.meta.dirname, '../..');
const long = (lines: number): LongFunction => ({
  path: 'packages/a/src/b.ts',
  line: 3,
  name: 'createB',
  lines,
});

test('a function over 80 lines is refused unless the list names it with that length', () => {
  assert.match(judged([long(81)], {})[0] ?? '', /b\.ts:3 'createB' has 81 lines; at most 80/);
  assert.deepEqual(judged([long(81)], { 'b.ts createB': 81 }), []);
});

test('a listed function that has grown is refused', () => {
  assert.match(judged([long(91)], { 'b.ts createB': 90 })[0] ?? '', /has 91 lines; at most 90/);
});

test('an entry that is no longer needed is refused, so the list only shrinks', () => {
  assert.match(judged([], { 'b.ts createB': 90 })[0] ?? '', /within the limit: remove the entry/);
  assert.match(judged([long(85)], { 'b.ts createB': 90 })[0] ?? '', /has shrunk: write 85/);
});

test('functions, arrows and methods are found by name, and bodies of describe and it are not counted', async () => {
  const root = mkdtempSync(join(tmpdir(), 'functions-'));
  try {
    for (const name of ['biome.json', 'package.json']) copyFileSync(join(workspace, name), join(root, name));
    symlinkSync(join(workspace, 'node_modules'), join(root, 'node_modules'));
    mkdirSync(join(root, 'packages/a/src'), { recursive: true });
    const body = Array.from({ length: 81 }, (_, at) => `    call(${at});`).join('\n');
    const source = `export function one() {\n${body}\n}\nexport const two = () => {\n${body}\n};\nexport const three = {\n  four() {\n${body}\n  },\n};\n`;
    writeFileSync(join(root, 'packages/a/src/b.ts'), source);
    writeFileSync(join(root, 'packages/a/src/b.test.ts'), `describe('b', () => {\n${body}\n});\n`);
    const found = await findLongFunctions(root);
    assert.deepEqual(
      found.map(({ path, name, lines }) => [path, name, lines]),
      ['one', 'two', 'four'].map((name) => ['packages/a/src/b.ts', name, 81]),
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
