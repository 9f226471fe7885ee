import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { runTool, type ToolCheck, toolChecks, withoutFormat } from './tool-check.ts';

const workspace = join(import.meta.dirname, '../..');
let root = '';

// A workspace of one file, under the settings of the real one.
before(() => {
  root = mkdtempSync(join(tmpdir(), 'check-'));
  for (const name of [
    'package.json',
    'tsconfig.json',
    'tsconfig.pure.json',
    'tsconfig.pages.json',
    'biome.json',
    'knip.json',
  ]) {
    copyFileSync(join(workspace, name), join(root, name));
  }
  symlinkSync(join(workspace, 'node_modules'), join(root, 'node_modules'));
});
after(() => rmSync(root, { recursive: true, force: true }));

async function outputOf(name: string, path: string, text: string, adapt = (tool: ToolCheck) => tool) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const found = toolChecks.find((each) => each.name === name);
  assert.ok(found);
  const tool = adapt(found);
  const { passed, output } = await runTool(tool, root);
  rmSync(file);
  assert.equal(passed, output === '' || /No fixes applied\.$/.test(output), output);
  return passed ? '' : output;
}

const rows: readonly (readonly [
  check: string,
  rule: string,
  path: string,
  planted: string,
  fixed: string,
])[] = [
  [
    'types',
    'an index may be missing',
    'packages/sip/src/a.ts',
    'export const a = (list: number[]): number => list[0];\n',
    'export const a = (list: number[]): number | undefined => list[0];\n',
  ],
  [
    'types of pages',
    'a program of a page has the DOM and no Node',
    'conformance/support/browser/page/a.ts',
    'export const a = process.pid;\n',
    'export const a = document.title;\n',
  ],
  [
    'types',
    'syntax that cannot be erased',
    'packages/sip/src/a.ts',
    'export enum Hold {\n  on,\n}\n',
    "export type Hold = 'on';\n",
  ],
  [
    'types of pure code',
    'Node in a protocol library',
    'packages/sip/src/a.ts',
    'export const a = Buffer.alloc(1);\n',
    'export const a = new Uint8Array(1);\n',
  ],
  [
    'types of pure code',
    'a timer in a domain folder',
    'packages/platform/src/features/calls/domain/a.ts',
    'setTimeout(() => {}, 1);\nexport {};\n',
    'export const a = 1;\n',
  ],
  [
    'lint and format',
    'any',
    'packages/sip/src/a.ts',
    'export const a: any = 1;\n',
    'export const a: unknown = 1;\n',
  ],
  [
    'lint and format',
    'console in a package',
    'packages/platform/src/a.ts',
    "console.log('a');\nexport {};\n",
    'export const a = 1;\n',
  ],
  [
    'lint and format',
    'other quotes',
    'packages/sip/src/a.ts',
    'export const a = "b";\n',
    "export const a = 'b';\n",
  ],
];

for (const [check, rule, path, planted, fixed] of rows) {
  test(`${check}: ${rule} is refused`, async () => {
    assert.match(await outputOf(check, path, planted), /(packages|conformance)\/.*a\.ts/);
    assert.equal(await outputOf(check, path, fixed), '');
  });
}

test('without format, other quotes and unsorted imports pass and a lint error is refused', async () => {
  const path = 'packages/platform/src/a.ts';
  const loose = 'import { b } from "./b.ts"; import { a } from "./a.ts";\nexport const c = [a, b]\n';
  assert.match(await outputOf('lint and format', path, loose), /a\.ts/);
  assert.equal(await outputOf('lint and format', path, loose, withoutFormat), '');
  const wrong = "console.log('a');\nexport {};\n";
  assert.match(await outputOf('lint and format', path, wrong, withoutFormat), /noConsole/);
});

test('dead code and dependencies: a file that nothing imports is refused, and a package that no manifest names', async () => {
  const manifest = { name: '@jackfield/sip', type: 'module' };
  mkdirSync(join(root, 'packages/sip'), { recursive: true });
  writeFileSync(join(root, 'packages/sip/package.json'), JSON.stringify(manifest));
  const unused = await outputOf(
    'dead code and dependencies',
    'packages/sip/src/b.ts',
    'export const b = 1;\n',
  );
  assert.match(unused, /Unused files \(1\)\npackages\/sip\/src\/b\.ts/);
  const path = 'packages/sip/src/b.test.ts';
  const unlisted = await outputOf('dead code and dependencies', path, "import 'left-pad';\n");
  assert.match(unlisted, /Unlisted dependencies \(1\)\nleft-pad/);
});
