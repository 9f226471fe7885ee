import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf } from './imports-of.ts';

const path = 'packages/platform/src/features/calls/store.ts';
const specifiers = (text: string) => importsOf({ path, text }).map((found) => found.specifier);

test('every syntax that names a module is found', () => {
  const text = [
    "import a from './a.ts';",
    'import type { B } from "./b.ts";',
    "import {\n  c,\n  d as e,\n} from './c.ts';",
    "import './d.ts';",
    "export { f } from './e.ts';",
    "export * from './f.ts';",
    "const g = await import('./g.ts');",
    "type H = import('./h.ts').H;",
    "new Worker(new URL('./i.ts', import.meta.url));",
    "const j = require('./j.ts');",
  ].join('\n');
  assert.deepEqual(
    specifiers(text),
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((name) => `./${name}.ts`),
  );
});

test('imports in comments and strings are none, and the next statement is not swallowed', () => {
  const text = [
    "// import a from './a.ts';",
    '/* import b from "./b.ts"; */',
    'const c = `import d from "./d.ts"`;',
    "const data = new URL('../corpus/', import.meta.url);",
    'export interface E { readonly from: string }',
    "import { f } from './f.ts';",
  ].join('\n');
  assert.deepEqual(specifiers(text), ['./f.ts']);
});

test('targets are resolved: file, package of the workspace, Node, registry', () => {
  const text = [
    "import type { A } from '../accounts/index.ts';",
    "import { b } from '@jackfield/sip/transport';",
    "import c from 'node:fs';",
    "import d from '@fastify/swagger/x';",
    "import e from 'pg';",
    'await import(name);',
  ].join('\n');
  const found = importsOf({ path, text });
  assert.deepEqual(
    found.map(({ target }) => target),
    [
      { kind: 'file', path: 'packages/platform/src/features/accounts/index.ts' },
      { kind: 'workspace', package: 'sip', subpath: 'transport' },
      { kind: 'node', module: 'node:fs' },
      { kind: 'npm', package: '@fastify/swagger' },
      { kind: 'npm', package: 'pg' },
      { kind: 'computed' },
    ],
  );
  assert.deepEqual(
    found.map(({ typeOnly }) => typeOnly),
    [true, false, false, false, false, false],
  );
  assert.deepEqual(
    found.map(({ line }) => line),
    [1, 2, 3, 4, 5, 6],
  );
});
