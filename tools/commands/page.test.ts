import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pagePath, pageText } from './page.ts';

test('the page of the commands in docs is that of their definitions (node tools/commands/write-page.ts)', () => {
  assert.equal(readFileSync(join(import.meta.dirname, '../..', pagePath), 'utf8'), pageText());
});
