import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownPromises } from './shown-promises.ts';

const tests = {
  path: 'packages/a/b.test.ts',
  text: "test('no stranger gets in', () => {});\ntest('it isn\\'t heard', () => {});",
};
const found = (rows: string) => {
  const text = `# Security\n\n| promise | shown by |\n|---|---|\n${rows}\n`;
  return shownPromises
    .find([{ path: 'docs/operate/security.md', text }, tests])
    .map(({ line, sentence }) => `${line} ${sentence}`);
};

test('a promise that names its test by file and title is kept', () => {
  assert.deepEqual(
    found('| No stranger gets in | `packages/a/b.test.ts` "no stranger gets in"; "it isn\'t heard" |'),
    [],
  );
});

test('a limit names its test in the last column', () => {
  const text =
    '# Security\n\n| limit | default | shown by |\n|---|---|---|\n| all | 1 | `packages/a/b.test.ts` "no stranger gets in" |\n| few | 2 | 3 |\n';
  const found = shownPromises.find([{ path: 'docs/operate/security.md', text }, tests]);
  assert.deepEqual(
    found.map(({ line }) => line),
    [6],
  );
});

test('a promise without a test, without a title, with a file or a title that does not exist is refused', () => {
  assert.deepEqual(found('| No stranger gets in | we hope so |'), ['5 the promise names no test']);
  assert.deepEqual(found('| No stranger gets in | `packages/a/b.test.ts` |'), [
    '5 no title of packages/a/b.test.ts is named',
  ]);
  assert.deepEqual(found('| No stranger gets in | `packages/a/c.test.ts` "x" |'), [
    '5 there is no packages/a/c.test.ts',
  ]);
  assert.deepEqual(found('| No stranger gets in | `packages/a/b.test.ts` "a stranger gets in" |'), [
    '5 packages/a/b.test.ts has no test "a stranger gets in"',
  ]);
});
