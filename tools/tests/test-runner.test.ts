import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { closingLines, runTestFiles } from './test-runner.ts';

const root = join(import.meta.dirname, '../..');

test('the closing lines of two runs are their sums, the exit code is that of the runner, and failures are kept for the end', async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'jackfield-runner-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  const passing = join(directory, 'passing.mjs');
  const failing = join(directory, 'failing.mjs');
  await writeFile(
    passing,
    "import { test } from 'node:test';\ntest('one', () => {});\ntest('two', () => {});\n",
  );
  await writeFile(
    failing,
    "import { test } from 'node:test';\ntest('three', () => { throw new Error('no'); });\n",
  );
  const { NODE_TEST_CONTEXT: _context, TEST_COSTS: _costs, ...env } = process.env;
  const settings = { root, concurrency: 1, options: [], env };
  const printed = context.mock.method(console, 'log', () => {});
  const ends = [await runTestFiles([passing], settings), await runTestFiles([failing], settings)];
  assert.deepEqual(
    ends.map(({ code, isStopped }) => [code, isStopped]),
    [
      [0, false],
      [1, false],
    ],
  );
  assert.deepEqual(closingLines(ends).slice(0, 4), ['ℹ tests 3', 'ℹ suites 0', 'ℹ pass 2', 'ℹ fail 1']);
  const lines = printed.mock.calls.map(({ arguments: [line] }) => String(line));
  assert.ok(lines.some((line) => line.startsWith('✖ three')));
  assert.ok(!lines.some((line) => line.startsWith('ℹ pass')));
  assert.ok(!lines.includes('✖ failing tests:'));
  assert.deepEqual(ends[0]!.failures, []);
  assert.equal(ends[1]!.failures[0], '✖ failing tests:');
  assert.ok(ends[1]!.failures.some((line) => line.startsWith('✖ three')));
  assert.ok(ends[1]!.failures.some((line) => line.includes('Error: no')));
});
