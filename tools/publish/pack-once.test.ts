import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { packOnce } from './pack-once.ts';

/** Packs for half a second, or waits for another process. */
const program = `
import { appendFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { packOnce } from ${JSON.stringify(new URL('./pack-once.ts', import.meta.url).href)};
const [, directory, name] = process.argv;
const shared = directory + '/shared';
const pack = async () => {
  appendFileSync(directory + '/packings', name + ' ');
  await setTimeout(500);
  writeFileSync(shared + '/a.tgz', 'the tarball');
  return shared + '/a.tgz';
};
console.log(await packOnce('a', { into: directory + '/' + name, shared, pack }));
`;

describe('packages of one run of the tests', { timeout: 60_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'pack-once-'));
  after(() => rmSync(directory, { recursive: true }));

  it('are packed by one of several processes, and each has a copy', async () => {
    const args = ['--input-type=module', '-e', program, directory];
    const runs = ['one', 'two', 'three'].map(async (name) => {
      const { stdout } = await promisify(execFile)(process.execPath, [...args, name]);
      return stdout.trim();
    });
    const copies = await Promise.all(runs);
    assert.deepEqual(
      copies,
      ['one', 'two', 'three'].map((name) => join(directory, name, 'a.tgz')),
    );
    for (const copy of copies) assert.equal(readFileSync(copy, 'utf8'), 'the tarball');
    assert.equal(readFileSync(join(directory, 'packings'), 'utf8').trim().split(' ').length, 1);
  });

  it('are packed again by the next process when the first one fails', async () => {
    const shared = join(directory, 'failing');
    const failing = async () => Promise.reject(new Error('the disk is full'));
    await assert.rejects(packOnce('b', { into: directory, shared, pack: failing }), /the disk is full/);
    const pack = async () => {
      writeFileSync(join(shared, 'b.tgz'), 'b');
      return join(shared, 'b.tgz');
    };
    assert.equal(await packOnce('b', { into: directory, shared, pack }), join(directory, 'b.tgz'));
  });
});
