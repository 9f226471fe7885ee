import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { missing } from './support/installed.ts';

const unit = join(import.meta.dirname, '../deploy/jackfield.service');

function analyze(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, unit], { encoding: 'utf8' });
  return { status, text: stdout + stderr };
}

describe('the unit for systemd', { skip: missing('systemd-analyze') }, () => {
  it('has no setting that systemd ignores', () => {
    const { status, text } = analyze('verify', '--man=no');
    assert.equal(status, 0, text);
    assert.doesNotMatch(text, /jackfield\.service/);
  });

  // Of 100; services of Debian without restrictions have 96. Addresses, the network and two capabilities are what is left.
  it('is exposed to at most 25 in the count of systemd', () => {
    const { status, text } = analyze('security', '--offline=true', '--threshold=25');
    assert.equal(status, 0, text.trim().split('\n').at(-1));
  });
});
