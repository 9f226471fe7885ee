import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { outlivesNoKill } from './bound-child.ts';

const helper = pathToFileURL(join(import.meta.dirname, 'bound-child.ts')).href;

/** Runs this code in a process that has started `sleep`; resolves with the pid of the sleep when the process has ended. */
async function sleepOf(code: string): Promise<number> {
  const program = `import { spawnBound } from '${helper}';
const child = spawnBound('sleep', ['600'], { stdio: 'ignore' });
child.once('spawn', () => { process.stdout.write(child.pid + '\\n', () => { ${code} }); });`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH },
  });
  const [first] = await once(parent.stdout, 'data');
  if (parent.exitCode === null && parent.signalCode === null) await once(parent, 'exit');
  return Number(first);
}

function isAlive(pid: number): boolean {
  try {
    // An ended process whose new parent has not collected it yet is a zombie.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The end of a process is no event of a process that is not its parent. */
async function untilEnded(pid: number): Promise<void> {
  const limit = Date.now() + 20_000;
  while (isAlive(pid)) {
    assert.ok(Date.now() < limit, `process ${pid} outlives its parent`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** `setpriv` asks for the signal, then becomes `sleep`: nothing binds the program to a parent that is killed before. */
const killedWhenBound = `const { readFileSync } = process.getBuiltinModule('node:fs');
const kill = () => readFileSync('/proc/' + child.pid + '/comm', 'utf8') === 'sleep\\n' ? process.kill(process.pid, 'SIGKILL') : setImmediate(kill);
kill();`;

for (const [way, code] of [
  ['ends by process.exit', 'process.exit(1)'],
  ['ends by an uncaught error', "throw new Error('uncaught')"],
] as const) {
  test(`a bound program ends when its parent ${way}`, async () => untilEnded(await sleepOf(code)));
}

test(
  'a bound program ends when its parent is killed with SIGKILL',
  {
    skip: outlivesNoKill ? false : 'setpriv is not installed',
  },
  async () => untilEnded(await sleepOf(killedWhenBound)),
);
