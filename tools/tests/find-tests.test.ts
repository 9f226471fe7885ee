import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { findTests, slowFiles } from './find-tests.ts';

const root = join(import.meta.dirname, '../..');
const all = await findTests(root, { parts: [], isQuick: false });
const quick = await findTests(root, { parts: [], isQuick: true });

test('every slow file is a test file of the workspace', () => {
  assert.deepEqual(
    slowFiles.filter((path) => !all.includes(path)),
    [],
  );
});

test('the quick tier leaves out conformance, walks, fuzz tests and slow files, and nothing else', () => {
  const left = all.filter((path) => !quick.includes(path));
  const slow = /^conformance\/|\.(walk|fuzz)\.test\.ts$/;
  assert.deepEqual(
    left.filter((path) => !slow.test(path) && !slowFiles.includes(path)),
    [],
  );
  assert.ok(left.length > slowFiles.length && quick.length > all.length / 2);
});

test('parts of a path choose files', async () => {
  const found = await findTests(root, { parts: ['tools/tests/find'], isQuick: true });
  assert.deepEqual(found, ['tools/tests/find-tests.test.ts']);
});
