import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { importViolations } from './import-check.ts';

const root = mkdtempSync(join(tmpdir(), 'imports-'));
after(() => rmSync(root, { recursive: true, force: true }));

const platform = 'packages/platform/src';
const calls = `${platform}/features/calls`;

/** Each row: the rule, the file, the planted import, the import that is allowed in its place. */
const rows: readonly (readonly [rule: RegExp, path: string, planted: string, fixed: string])[] = [
  [/sip may import nothing of the workspace/, 'packages/sip/src/a.ts', '@jackfield/sdp', './b.ts'],
  [/sip\/transport and media\/io touch Node/, 'packages/media/src/a.ts', 'node:worker_threads', './b.ts'],
  [/nothing from transport/, 'packages/sip/src/c.ts', './transport/udp.ts', './b.ts'],
  [/ports may import nothing of the workspace/, 'packages/ports/src/a.ts', '@jackfield/platform', './b.ts'],
  [/touch Node/, 'packages/ports/src/c.ts', 'node:net', './b.ts'],
  [
    /signalling may import ports, sip, sdp/,
    'packages/signalling/src/a.ts',
    '@jackfield/adapters/clock',
    '@jackfield/ports',
  ],
  [
    /contract may import nothing of the workspace/,
    'packages/contract/src/a.ts',
    '@jackfield/platform',
    './b.ts',
  ],
  [
    /platform may import ports, contract/,
    `${platform}/http/a.ts`,
    '@jackfield/adapters/clock',
    '@jackfield/contract',
  ],
  [/imports no other adapter/, 'packages/adapters/src/clock/a.ts', '../secrets/index.ts', './b.ts'],
  [/console may import contract/, 'apps/console/src/a.ts', '@jackfield/platform', '@jackfield/contract'],
  [/adapters may import/, 'packages/adapters/src/clock/c.ts', '@jackfield/testkit', '@jackfield/ports'],
  [/by its name/, 'packages/adapters/src/clock/d.ts', '../../../media/src/b.ts', '@jackfield/media'],
  [/relative import ends in/, 'packages/sip/src/d.ts', './missing.ts', './b.ts'],
  [/begins with node:/, 'packages/adapters/src/clock/e.ts', 'left-pad', 'node:fs'],
  [/no wire schema/, `${calls}/domain/a.ts`, '@jackfield/contract', './b.ts'],
  [/imports no package/, `${calls}/domain/c.ts`, 'fastify', '../../../kernel/machine.ts'],
  [/imports its own files/, `${calls}/domain/d.ts`, '../store.ts', './b.ts'],
  [/through its public API/, `${calls}/a.ts`, '../accounts/store.ts', '../accounts/index.ts'],
  [/the kernel imports no feature/, `${platform}/kernel/a.ts`, '../features/calls/index.ts', './machine.ts'],
  [/for other packages/, `${calls}/c.ts`, '../../index.ts', './store.ts'],
  [/only tests import tests/, 'packages/sip/src/e.ts', './testing/b.ts', './b.ts'],
  [/not among the dependencies/, 'packages/platform/src/http/d.ts', 'unlisted', 'fastify'],
  [/only tests import a devDependency/, 'packages/platform/src/http/c.ts', 'only-for-tests', 'fastify'],
];

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const packages = ['ports', 'sip', 'sdp', 'media', 'contract', 'platform', 'adapters', 'testkit'];
for (const name of packages) {
  plant(`packages/${name}/src/index.ts`, 'export const index = 1;\n');
  const exports = { '.': './src/index.ts', './*': './src/*/index.ts' };
  const dependencies = name === 'platform' ? { fastify: '5' } : {};
  const devDependencies = name === 'platform' ? { 'only-for-tests': '1' } : {};
  plant(
    `packages/${name}/package.json`,
    JSON.stringify({ name: `@jackfield/${name}`, type: 'module', exports, dependencies, devDependencies }),
  );
  mkdirSync(join(root, 'node_modules/@jackfield'), { recursive: true });
  symlinkSync(join(root, 'packages', name), join(root, 'node_modules/@jackfield', name));
}
for (const name of ['fastify', 'only-for-tests', 'unlisted']) {
  plant(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
  plant(`node_modules/${name}/index.js`, '');
}
plant('package.json', JSON.stringify({ name: 'workspace', type: 'module' }));
const bare = [
  ...rows.map(([, path]) => join(dirname(path), 'b.ts')),
  'packages/sip/src/transport/udp.ts',
  'packages/sip/src/testing/b.ts',
  'packages/adapters/src/clock/index.ts',
  'packages/adapters/src/secrets/index.ts',
  `${platform}/features/accounts/index.ts`,
  `${platform}/features/accounts/store.ts`,
  `${calls}/index.ts`,
  `${calls}/store.ts`,
  `${platform}/kernel/machine.ts`,
];
for (const path of bare) plant(path, 'export const b = 1;\nexport type B = string;\n');

async function violations() {
  return (await importViolations(root)).map(({ path, line, sentence }) => ({ path, line, sentence }));
}

test('each rule refuses what it names, at its line, and allows what may stand in its place', async () => {
  for (const [, path, planted] of rows)
    plant(path, `\nimport type { B } from '${planted}';\nexport type A = B;\n`);
  const found = await violations();
  for (const [rule, path, planted] of rows) {
    const own = found.filter((each) => each.path === path);
    assert.ok(
      own.some(
        ({ line, sentence }) => line === 2 && rule.test(sentence) && sentence.startsWith(`'${planted}'`),
      ),
      `${path} imports ${planted}: ${JSON.stringify(own)}`,
    );
  }
  for (const [, path, , fixed] of rows)
    plant(path, `import type { B } from '${fixed}';\nexport type A = B;\n`);
  assert.deepEqual(await violations(), []);
});

test('a domain folder imports only types of the kernel', async () => {
  const path = `${calls}/domain/e.ts`;
  const machine = "'../../../kernel/machine.ts'";
  for (const value of [
    `import { b } from ${machine};\nexport const a = b;\n`,
    `import { b, type B } from ${machine};\nexport const a: B = b;\n`,
    `export { b } from ${machine};\n`,
    `export * from ${machine};\n`,
    `export const a = () => import(${machine});\n`,
  ]) {
    plant(path, value);
    assert.match((await violations())[0]?.sentence ?? value, /only types/);
  }
  for (const type of [
    `import type { B } from ${machine};\nexport type A = B;\n`,
    `export type { B } from ${machine};\n`,
  ]) {
    plant(path, type);
    assert.deepEqual(await violations(), [], type);
  }
  rmSync(join(root, path));
});

test('tests use Node, the simulated world and fixtures', async () => {
  const path = 'packages/sip/src/dialog.test.ts';
  plant(path, "import 'node:test';\nimport '@jackfield/testkit';\nimport './testing/b.ts';\n");
  assert.deepEqual(await violations(), []);
  rmSync(join(root, path));
});

test('a circle of files is refused once, with all its files, types included', async () => {
  plant('packages/sip/src/x.ts', "import type { Y } from './y.ts';\nexport type X = Y;\n");
  plant('packages/sip/src/y.ts', "import { z } from './z.ts';\nexport type Y = typeof z;\n");
  plant('packages/sip/src/z.ts', "import type { X } from './x.ts';\nexport const z = 1 as unknown as X;\n");
  const found = await violations();
  assert.equal(found.length, 1);
  assert.match(found[0]?.sentence ?? '', /in a circle.*x\.ts.*y\.ts.*z\.ts/);
  for (const name of ['x', 'y', 'z']) rmSync(join(root, `packages/sip/src/${name}.ts`));
});

test('features form no circle, not even of types or over a third one', async () => {
  const feature = (name: string, file: string) => `${platform}/features/${name}/${file}.ts`;
  const edge = (to: string) => `import type { B } from '../${to}/index.ts';\nexport type A = B;\n`;
  for (const name of ['mixes', 'usage']) plant(feature(name, 'index'), 'export type B = string;\n');
  plant(feature('calls', 'effects'), edge('mixes'));
  plant(feature('mixes', 'effects'), edge('usage'));
  plant(feature('usage', 'effects'), edge('calls'));
  const found = await violations();
  assert.equal(found.length, 3);
  assert.match(found[0]?.sentence ?? '', /calls → mixes → usage → calls/);
  rmSync(join(root, feature('usage', 'effects')));
  plant(feature('usage', 'effects.test'), edge('calls'));
  assert.deepEqual(await violations(), []);
});
