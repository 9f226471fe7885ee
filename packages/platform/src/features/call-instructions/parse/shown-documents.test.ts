import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readDocument } from './read-document.ts';

const root = join(import.meta.dirname, '../../../../../..');

test('each document that a page shows is accepted without a warning', () => {
  let shown = 0;
  for (const page of ['README.md', ...globSync(['docs/**/*.md', 'packages/*/README.md'], { cwd: root })]) {
    const text = readFileSync(join(root, page), 'utf8');
    for (const { index, 1: block = '' } of text.matchAll(/^```xml[^\n]*\n([\s\S]*?)^```$/gm)) {
      const document = /^\s*<(\?xml|Response)/.test(block) ? block : `<Response>${block}</Response>`;
      const read = readDocument(new TextEncoder().encode(document), {}, true);
      const at = `${page}:${text.slice(0, index).split('\n').length}`;
      assert.ok(read.ok, `${at} ${read.ok ? '' : read.sentence}`);
      assert.deepEqual(read.warnings, [], at);
      shown++;
    }
  }
  assert.ok(shown > 10, `${shown} documents were found`);
});
