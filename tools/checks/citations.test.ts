import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citations } from './citations.ts';

const page = { path: 'docs/interface/calls.md', text: '# Calls\n\n## Hangup causes\n\n<a id="limit"></a>\n' };
const find = (text: string, path = 'packages/sip/src/a.ts') =>
  citations
    .find([page, { path: 'README.md', text: '' }, { path, text }])
    .map(({ line, sentence }) => `${line} ${sentence}`);

test('a document that the repository does not hold is refused in comments, tests and documents', () => {
  assert.match(find('\n// See conventions.md §1.')[0] ?? '', /^2 there is no document conventions\.md/);
  assert.equal(find('See [this](design.md).', 'docs/a.md').length, 1);
  assert.equal(find('// docs/other/calls.md').length, 1);
});

test('a page is cited by its path, from the same folder, or by a name of its own', () => {
  const text = '// ha1.md5, docs/interface/calls.md, calls.md and https://example.org/missing.md; **/*.md';
  assert.deepEqual(find(text), []);
  assert.deepEqual(find('See [this](interface/calls.md).', 'docs/a.md'), []);
});

test('a heading that is cited exists', () => {
  assert.deepEqual(find('// docs/interface/calls.md#hangup-causes and docs/interface/calls.md#limit'), []);
  assert.match(find('// docs/interface/calls.md#transfers')[0] ?? '', /has no heading #transfers/);
});
