import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { docs, sections, sidebar } from './navigation.ts';

test('every page is in the menu once, but single decisions and the first page', () => {
  const files = globSync('**/*.md', { cwd: docs })
    .map((path) => path.replace(/\.md$/, ''))
    .filter((page) => page !== 'index' && !/^decisions\/\d/.test(page));
  const listed = sections.flatMap(({ pages }) => pages);
  assert.deepEqual([...listed].sort(), files.sort());
});

test('every page begins with what its reader can do after it', () => {
  for (const page of sections.flatMap(({ pages }) => pages)) {
    if (page === 'decisions/index') continue;
    const [, first = ''] = /^# .+\n\n(.+)/m.exec(readFileSync(join(docs, `${page}.md`), 'utf8')) ?? [];
    assert.match(first, /^After (?:this page|these pages)\b/, `docs/${page}.md begins: ${first}`);
  }
});

test('the menu names a page by its first heading', () => {
  assert.match(JSON.stringify(sidebar()), /\{"text":"Glossary","link":"\/explanation\/glossary"\}/);
});
