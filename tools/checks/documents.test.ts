import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documents } from './documents.ts';
import { importTable } from './import-rules.ts';

const file = (path: string, text = '') => ({ path, text });
const find = (...files: { path: string; text: string }[]) =>
  documents.find(files).map((each) => each.sentence);
const source = file('packages/sip/src/dialog/dialog.ts');

test('a path that a document names exists', () => {
  const text =
    'See `packages/sip/src/dialog/dialog.ts` and `packages/sip/src/dialog/`, `npm test`, `docs/x/<name>`.';
  assert.deepEqual(find(source, file('CONTRIBUTING.md', text)), []);
  assert.deepEqual(find(source, file('CONTRIBUTING.md', 'See `packages/sip/src/dialogs/`.')), [
    'there is no packages/sip/src/dialogs',
  ]);
});

test('a link between documents leads somewhere', () => {
  const page = file('docs/page.md', 'see [why](decisions/0001-a.md#x) or [there](https://example.org/x)');
  assert.deepEqual(find(page, file('docs/decisions/0001-a.md', '# X')), []);
  assert.deepEqual(find(page), ['the link leads to no docs/decisions/0001-a.md']);
});

test('a link out of the repository leads to a public name by HTTPS', () => {
  const page = (target: string) => file('docs/page.md', `[there](${target})`);
  for (const target of ['https://example.org/x#y', 'https://a.b.example.com', 'mailto:security@example.org'])
    assert.deepEqual(find(page(target)), []);
  for (const target of [
    'http://example.org',
    'https://localhost:8080/x',
    'https://127.0.0.1',
    'https:/example',
    'mailto:us',
  ])
    assert.equal(find(page(target)).length, 1, target);
});

test('a link names a heading that the page has, its own page included', () => {
  const page = file('docs/a.md', '# A\n\n## Which Node\n\n`](#code)` [x](#which-node) [y](b.md#c)\n');
  assert.deepEqual(find(page, file('docs/b.md', '# B\n\n<a id="c"></a>\n')), []);
  assert.deepEqual(find(page, file('docs/b.md', '# B\n')), ['docs/b.md has no heading #c']);
  assert.deepEqual(find(file('docs/a.md', '[x](#gone)')), ['docs/a.md has no heading #gone']);
});

test('the import table of ARCHITECTURE.md equals the checked one', () => {
  const rows = Object.entries(importTable).map(
    ([part, imports]) => `| ${part} | ${imports.length === 0 ? 'nothing' : imports.join(', ')} | why |`,
  );
  assert.deepEqual(find(file('ARCHITECTURE.md', rows.join('\n'))), []);
  assert.equal(find(file('ARCHITECTURE.md', rows.slice(1).join('\n'))).length, 1);
});

test('every dependency has its row', () => {
  const page = file('docs/decisions/0002-dependencies.md', '| `pg` | the database | why |');
  const manifest = (name: string) =>
    file('packages/a/package.json', JSON.stringify({ dependencies: { [name]: '1' } }));
  assert.deepEqual(find(page, manifest('pg')), []);
  assert.deepEqual(find(page, manifest('left-pad')), ['left-pad is installed and has no row']);
  assert.deepEqual(find(page, manifest('@jackfield/sip')), []);
});
