import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runTestFiles } from './test-runner.ts';

const sample = `
import { describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

test('fails in a timer', async () => {
  setTimeout(() => { throw new Error('timer'); }, 1);
  await wait(20);
});
test('fails in a promise', async () => {
  void wait(1).then(() => Promise.reject(new Error('promise')));
  await wait(20);
});
test('goes well', () => wait(1));
describe('a suite that awaits before its tests', async () => {
  await wait(1);
  it('fails in a microtask', async () => {
    queueMicrotask(() => { throw new Error('microtask'); });
    await wait(5);
  });
  it('declares a test', async () => {
    await wait(1);
    it('the declared one', () => {});
    await wait(5);
  });
});
test('has concurrent tests', { concurrency: true }, (context) =>
  Promise.all(
    [1, 2].map((number) =>
      context.test(number === 1 ? 'goes well beside' : 'fails beside', async () => {
        await wait(number);
        if (number === 2) setTimeout(() => { throw new Error('beside'); }, 1);
        await wait(20);
      }),
    ),
  ),
);
test('leaves an error behind', () => {
  setTimeout(() => { throw new Error('too late'); }, 5);
});
test('goes well afterwards', () => wait(30));
`;

test('an error that is thrown outside of the stack of its test fails that test and no other', async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'jackfield-errors-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'sample.mjs');
  await writeFile(file, sample);
  const { NODE_TEST_CONTEXT: _context, TEST_COSTS: _costs, ...env } = process.env;
  const root = join(import.meta.dirname, '../..');
  const printed = context.mock.method(console, 'log', () => {});
  const { code } = await runTestFiles([file], { root, concurrency: 1, options: [], env });

  const lines = printed.mock.calls.map(({ arguments: [line] }) => String(line).trim());
  const details = lines.findIndex((line) => line.startsWith('✖ failing tests'));
  const marks = lines.slice(0, details).flatMap((line) => /^([✔✖] .*?) \(/.exec(line)?.[1] ?? []);
  assert.equal(code, 1);
  assert.deepEqual(marks, [
    '✖ fails in a timer',
    '✖ fails in a promise',
    '✔ goes well',
    '✖ fails in a microtask',
    '✔ the declared one',
    '✔ declares a test',
    '✖ a suite that awaits before its tests',
    '✔ goes well beside',
    '✖ fails beside',
    '✖ has concurrent tests',
    '✔ leaves an error behind',
    '✔ goes well afterwards',
  ]);
  assert.ok(
    lines.some((line) => line.includes('"leaves an error behind"') && line.includes('after the test ended')),
    lines.join('\n'),
  );
});
