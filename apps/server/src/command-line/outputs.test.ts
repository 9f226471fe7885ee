import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const program = join(import.meta.dirname, '../main.ts');
const variables = { XDG_CONFIG_HOME: join(tmpdir(), 'without-profiles') };

/** Runs `jackfield …` with a file as its standard output, or a pipe without a reader. */
async function run(args: readonly string[], output: number | 'closed', env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, ...variables, ...env },
    stdio: ['ignore', output === 'closed' ? 'pipe' : output, 'pipe'],
  });
  child.stdout?.destroy();
  const [problems] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  return { status: child.exitCode, problems };
}

test('a command whose reader has gone ends without an error', async () => {
  for (const args of [['profile', 'list', '--json'], ['completion', 'bash'], ['--help']])
    assert.deepEqual(await run(args, 'closed'), { status: 0, problems: '' });
});

test('doctor keeps its exit code when its reader has gone', async () => {
  const args = ['doctor', '--no-call', '--ntp', '127.0.0.1'];
  assert.deepEqual(await run(args, 'closed', { JACKFIELD_HTTP_PORT: 'none' }), { status: 1, problems: '' });
});

test('a command whose output finds no space fails with one sentence', {
  skip: !existsSync('/dev/full') && 'this system has no /dev/full',
}, async () => {
  const full = openSync('/dev/full', 'w');
  try {
    for (const args of [
      ['profile', 'list'],
      ['completion', 'bash'],
    ])
      assert.deepEqual(await run(args, full), {
        status: 1,
        problems: 'no space is left for standard output\n',
      });
  } finally {
    closeSync(full);
  }
});
