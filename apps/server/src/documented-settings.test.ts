import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configVariables } from './config-variables.ts';

const root = join(import.meta.dirname, '../../..');
const variables = new Map<string, (text: string) => unknown>(
  Object.values(configVariables).map(({ name, read }) => [name, read]),
);

test('each setting that a page shows is a variable of the server with a value that it accepts', () => {
  let shown = 0;
  for (const page of ['README.md', ...globSync('docs/**/*.md', { cwd: root })]) {
    const text = readFileSync(join(root, page), 'utf8');
    for (const [, language, block = ''] of text.matchAll(/^```(ini|sh)\b[^\n]*\n([\s\S]*?)^```$/gm)) {
      const settings =
        language === 'ini' ? /^(JACKFIELD_\w+)=(.*)$/gm : /(?:^|\s)(JACKFIELD_\w+)=('[^']*'|\S+)/gm;
      for (const [, name = '', given = ''] of block.matchAll(settings)) {
        const value = given.replace(/^'|'$/g, '');
        // Of a test, and what the reader or the shell fills in.
        if (name.startsWith('JACKFIELD_TEST_') || /[$<…]/.test(value)) continue;
        const read = variables.get(name) ?? assert.fail(`${page}: there is no variable ${name}`);
        assert.notEqual(read(value), undefined, `${page}: ${name} does not accept ${value}`);
        shown++;
      }
    }
  }
  assert.ok(shown > 10, `${shown} settings were found`);
});
