import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { npmInstall, pathOfThisNode } from './support/npm-install.ts';

const root = join(import.meta.dirname, '..');

/** Not among the dependencies of the workspace: 280 packages that everybody would install who tries the README. */
const jest = 'jest@30.5.2';

/** A suite of a customer; `%` is what the runner gives it. */
const suite = `
import { createWorld } from '@jackfield/testing';
const program = ({ path }) => '<Response>' + (path === '/answer' ? '<Speak>Press one.</Speak><GetDigits numDigits="1" timeout="590" action="https://program.test/menu"/>' : '<Speak>Thank you.</Speak>') + '</Response>';
test('a caller who thinks for nine minutes', async () => {
  const world = await createWorld({ program });
  try {
    const phone = world.phone('+14155550100');
    await phone.dial('/answer');
    await phone.hears('press one');
    await world.wait('1 min');
    await phone.press('1');
    await phone.hears('thank you');
  } finally {
    await world.close();
  }
});
`;

describe('the package for tests, installed by its tarball alone', { timeout: 400_000 }, () => {
  let directory: string;
  let warnings: readonly string[];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jackfield-testing-'));
    await writeFile(join(directory, 'package.json'), '{"type":"module"}');
    const pack = [join(root, 'tools/publish/pack.ts'), 'testing'];
    const tarball = execFileSync(process.execPath, pack, { cwd: root, encoding: 'utf8' }).trim();
    const { status, stderr } = npmInstall(directory, tarball);
    assert.equal(status, 0, stderr);
    warnings = stderr.split('\n').filter((line) => line.includes('npm warn'));
    // What a suite imports has to stand beside it.
    await symlink(join(root, 'node_modules/vitest'), join(directory, 'node_modules/vitest'));
    await symlink(join(root, 'node_modules/@types'), join(directory, 'node_modules/@types'));
    await writeFile(join(directory, 'node.test.js'), `import { test } from 'node:test';${suite}`);
    await writeFile(join(directory, 'vitest.spec.js'), `import { test } from 'vitest';${suite}`);
    await writeFile(join(directory, 'jest.case.js'), suite);
  });

  after(() => rm(directory, { recursive: true, force: true }));

  function run(command: string, ...args: readonly string[]) {
    const env = { PATH: pathOfThisNode, HOME: process.env.HOME };
    return spawnSync(command, args, { cwd: directory, encoding: 'utf8', env });
  }

  function assertPassed({ status, stdout, stderr }: ReturnType<typeof run>): void {
    assert.equal(status, 0, stdout + stderr);
  }

  it('brings no warning about itself, and no other package of the workspace', () => {
    assert.deepEqual(
      warnings.filter((line) => line.includes('jackfield')),
      [],
    );
    assert.deepEqual(readdirSync(join(directory, 'node_modules/@jackfield')), ['testing']);
    assert.ok(!existsSync(join(directory, 'node_modules/fast-check')));
  });

  it('runs in a suite of node:test', () => {
    assertPassed(run(process.execPath, '--test', 'node.test.js'));
  });

  it('runs in a suite of vitest', () => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    assertPassed(run(process.execPath, vitest, 'run', '--testTimeout=60000', 'vitest.spec.js'));
  });

  it('runs in a suite of jest', async (t) => {
    const beside = join(directory, 'jest');
    await mkdir(beside);
    await writeFile(join(beside, 'package.json'), '{}');
    if (npmInstall(beside, '--ignore-scripts', jest).status !== 0)
      return t.skip(`npm cannot install ${jest}`);
    const program = ['--experimental-vm-modules', join(beside, 'node_modules/jest/bin/jest.js')];
    const options = ['--rootDir', directory, '--testTimeout=60000', '--testMatch=**/*.case.js'];
    assertPassed(run(process.execPath, ...program, ...options));
  });

  it('has types that stand alone, all of them checked', async () => {
    const lines = [
      "import { createWorld, type Phone } from '@jackfield/testing';",
      'const world = await createWorld({ program: ({ path }) => `<Response>${path}</Response>` });',
      "const phone: Phone = world.phone('+14155550100');",
      "await phone.hears('hello', { within: '10 min' });",
      '// @ts-expect-error a fault has a known name',
      "world.fault('rain');",
    ];
    await writeFile(join(directory, 'typed.ts'), lines.join('\n'));
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    assertPassed(
      run(
        process.execPath,
        join(root, 'node_modules/typescript/bin/tsc'),
        ...options,
        '--lib',
        'esnext',
        'typed.ts',
      ),
    );
  });
});
