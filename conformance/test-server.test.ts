import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { spawnBound } from './support/bound-child.ts';
import { eachLine, Happenings } from './support/lines.ts';

const program = join(import.meta.dirname, '../apps/server/bin/jackfield.js');

function start(...args: readonly string[]) {
  const log = new Happenings<string>();
  const child = spawnBound(process.execPath, [program, 'test-server', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  eachLine(child.stdout!, (line) => log.add(line));
  eachLine(child.stderr!, (line) => log.add(line));
  return { child, log };
}

describe('jackfield test-server', { timeout: 60_000 }, () => {
  it('answers over HTTP until a signal ends it', async () => {
    const { child, log } = start('--port', '0');
    const closed = once(child, 'close');
    const greeting = await log.until('the address', (line) => line.includes('http://'));
    const url = /http:\S+/.exec(greeting)?.[0] ?? '';
    const answer = await fetch(url, { method: 'POST', body: '{"program":"nowhere"}' });
    assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [400, 'bad-option']);
    child.kill('SIGTERM');
    await closed;
    assert.equal(child.exitCode, 0, log.all.join('\n'));
  });

  it('refuses a port on which another program listens', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { child, log } = start('--port', String((taken.address() as AddressInfo).port));
    await once(child, 'close');
    taken.close();
    assert.equal(child.exitCode, 1);
    assert.match(log.all.join('\n'), /cannot be opened: another program listens there; choose another port$/);
  });

  it('refuses a port that is no number', async () => {
    const { child, log } = start('--port', 'eighty');
    await once(child, 'close');
    assert.equal(child.exitCode, 1);
    assert.match(log.all.join('\n'), /must be a port from 0 to 65535/);
  });
});
