import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'svelte/compiler';

const sources = join(import.meta.dirname, '..');

/** Names and values of the API, which stay as they are in every language. */
const ofTheApi = [
  'auth_id',
  'auth_token',
  'call_uuid',
  'agent',
  'customer',
  'supervisor',
  'inbound',
  'outbound',
  'ms',
  's',
];
const shownAttributes = ['title', 'aria-label', 'placeholder', 'alt'];

interface Node {
  readonly type?: string;
  readonly name?: string;
  readonly data?: string;
  readonly value?: unknown;
}

/** Words that a component has in its markup instead of the file of texts. */
function literalTexts(node: unknown, found: string[] = []): string[] {
  if (Array.isArray(node)) for (const each of node) literalTexts(each, found);
  else if (typeof node === 'object' && node !== null) {
    const { type, name = '', data = '', value } = node as Node;
    if (type === 'Text') found.push(data);
    // The values of other attributes are for machines.
    if (type === 'Attribute' && !shownAttributes.includes(name)) return found;
    if (type === 'Attribute') literalTexts(value, found);
    else for (const each of Object.values(node)) literalTexts(each, found);
  }
  return found;
}

test('every text of the console is in the file of texts, so that another language is another file', () => {
  const components = globSync('**/*.svelte', { cwd: sources });
  assert.ok(components.length > 30);
  const literal = components.flatMap((path) => {
    const { fragment } = parse(readFileSync(join(sources, path), 'utf8'), { modern: true });
    return literalTexts(fragment)
      .flatMap((text) => text.match(/[A-Za-z_]{2,}|\b[a-z]\b/g) ?? [])
      .filter((word) => !ofTheApi.includes(word))
      .map((word) => `${path}: ${word}`);
  });
  assert.deepEqual(literal, []);
});
