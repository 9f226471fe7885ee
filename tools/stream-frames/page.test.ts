import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pagePath, pageText } from './page.ts';

test('the page of frames in docs is that of the contract (node tools/stream-frames/write-page.ts)', () => {
  const written = readFileSync(join(import.meta.dirname, '../..', pagePath), 'utf8');
  assert.equal(written, pageText());
});
