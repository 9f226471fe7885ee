import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { oldestChild } from './oldest-child.ts';

test('The oldest child of a process is its first one', async (t) => {
  const parent = spawn('bash', ['-c', 'sleep 30 & first=$!; sleep 31 & echo $first; wait'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  t.after(() => process.kill(-parent.pid!, 'SIGKILL'));
  const [first] = await once(parent.stdout!, 'data');
  const oldest = await oldestChild(parent.pid!);
  assert.equal(oldest?.pid, Number(first));
});

test('A process without children has no oldest child', async () => {
  assert.equal(await oldestChild(2 ** 30), undefined);
});
