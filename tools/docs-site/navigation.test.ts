import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { docs, sections, sidebar } from './navigation.ts';

test('every page is in the menu once, but single decisions and the first page', () => {
  const files = globSync('**/*.md', { cwd: docs })
    .map((path) => path.replace(/\.md$/, ''))
    .filter((page) => page !== 'index' && !/^decisions\/\d/.test(page));
  const listed = sections.flatMap(({ pages }) => pages);
  assert.deepEqual([...listed].sort(), files.sort());
});

test('the menu names a page by its first heading', () => {
  assert.match(JSON.stringify(sidebar()), /\{"text":"Glossary","link":"\/explanation\/glossary"\}/);
});
