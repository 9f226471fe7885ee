import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawMarkup } from './raw-markup.ts';

test('raw markup is refused in components, and a text in braces is allowed', () => {
  const find = (text: string) => rawMarkup.find([{ path: 'apps/console/src/a.svelte', text }]);
  assert.deepEqual(find('<p>{name}</p>'), []);
  const [violation] = find('<p>\n{@html name}</p>');
  assert.deepEqual([violation?.line, violation?.path], [2, 'apps/console/src/a.svelte']);
});
