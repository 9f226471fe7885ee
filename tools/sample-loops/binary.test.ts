import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { binaryPath, binaryText } from './binary.ts';

test('the binary of the loops over samples is that of their source (node tools/sample-loops/write-binary.ts)', async () => {
  assert.equal(await readFile(binaryPath, 'utf8'), await binaryText());
});
