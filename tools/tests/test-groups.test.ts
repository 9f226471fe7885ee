import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findTests, ownMachine, ownProcess } from './find-tests.ts';
import { groupTests, writeGroups } from './test-groups.ts';

const all = await findTests(join(import.meta.dirname, '../..'), { parts: [], isQuick: false });
const groups = groupTests(all);

test('every test file is in one group', () => {
  assert.deepEqual(groups.flatMap(({ paths }) => paths).sort(), all);
});

test('a group has files of one package, at most 24', () => {
  for (const { paths } of groups) {
    assert.ok(paths.length <= 24, paths.join('\n'));
    const packages = paths.map((path) =>
      path.startsWith('tools/') ? 'tools' : path.split('/', 2).join('/'),
    );
    assert.equal(new Set(packages).size, 1, paths.join('\n'));
  }
});

test('conformance tests that start programs and the files that need a process to themselves share none, and each file that is named exists', () => {
  assert.deepEqual(
    [...ownProcess, ...ownMachine].filter((path) => !all.includes(path)),
    [],
  );
  for (const { paths } of groups)
    if (paths.some((path) => /^conformance\/(?!simulated\/)/.test(path) || ownProcess.includes(path)))
      assert.equal(paths.length, 1, paths.join('\n'));
});

test('the hooks of a file reach its own tests only, and a failure names its file', async (context) => {
  const root = await mkdtemp(join(tmpdir(), 'jackfield-groups-'));
  context.after(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'packages/one'), { recursive: true });
  const hooked = `import { beforeEach, test } from 'node:test';
beforeEach(() => { throw new Error('the hook of the first file'); });
test('of the first file', () => {});
`;
  await writeFile(join(root, 'packages/one/first.test.ts'), hooked);
  await writeFile(
    join(root, 'packages/one/second.test.ts'),
    "import { test } from 'node:test';\ntest('of the second file', () => {});\n",
  );
  const paths = ['packages/one/first.test.ts', 'packages/one/second.test.ts'];
  const entries = await writeGroups(groupTests(paths), { root, directory: join(root, 'groups') });
  assert.equal(entries.length, 1);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      ['--test', '--test-reporter=tap', ...entries],
      { env, cwd: root },
      (_error, out) => resolve(out),
    );
  });
  assert.match(output, /not ok 1 - of the first file/);
  assert.match(output, /not ok 1 - packages\/one\/first\.test\.ts/);
  assert.match(output, /\n {4}ok 1 - of the second file/);
  assert.match(output, /\nok 2 - packages\/one\/second\.test\.ts/);
});
