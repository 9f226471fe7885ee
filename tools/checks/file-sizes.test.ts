import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileSizes, medianLines, sourceLimit, tableLimit } from './file-sizes.ts';

const file = (path: string, lines: number) => ({ path, text: 'x;\n'.repeat(lines) });
const refused = (path: string, lines: number) => fileSizes.find([file(path, lines)]).length;

test('a source file has at most 400 lines, a test or a table 600', () => {
  for (const [path, limit] of [
    ['packages/sip/src/a.ts', sourceLimit],
    ['packages/sip/src/a.test.ts', tableLimit],
    ['packages/media/src/codec/a-table.ts', tableLimit],
  ] as const) {
    assert.equal(refused(path, limit), 0, path);
    assert.equal(refused(path, limit + 1), 1, path);
  }
});

test('the median counts sources, not tests', () => {
  const files = [file('a.ts', 10), file('b.ts', 20), file('c.ts', 90), file('c.test.ts', 500)];
  assert.equal(medianLines(files), 20);
});
