import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { loadConfig } from '@jackfield/server/src/config.ts';
import { missing } from './support/installed.ts';
import { blocksRunBy } from './support/snippets.ts';

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

  it('is installed, configured and enabled as the page does it', (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'unit-'));
    t.after(() => rmSync(directory, { recursive: true }));
    // No test runs on a machine whose first process is systemd: it enables the unit below this root, and starts nothing.
    const systemctl = `systemctl() { test "$*" = 'enable --now jackfield'; command systemctl --root=. enable jackfield; }`;
    for (const { text } of blocksRunBy('docs/operate/systemd.md', import.meta.filename)) {
      const commands = text.replaceAll(' /etc/', ' etc/').replaceAll(' deploy/', ` ${dirname(unit)}/`);
      const script = ['set -eu', systemctl, commands].join('\n');
      const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: directory, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    }
    const etc = join(directory, 'etc');
    assert.ok(
      lstatSync(join(etc, 'systemd/system/multi-user.target.wants/jackfield.service')).isSymbolicLink(),
    );
    assert.equal(statSync(join(etc, 'jackfield/jackfield.env')).mode & 0o777, 0o600);
    const env = parseEnv(readFileSync(join(etc, 'jackfield/jackfield.env'), 'utf8'));
    const loaded = loadConfig({ env, mode: 'production' });
    assert.deepEqual(loaded.ok ? [] : loaded.problems, []);
  });

  // Of 100; services of Debian without restrictions have 96. Addresses, the network and two capabilities are what is left.
  it('is exposed to at most 25 in the count of systemd', () => {
    const { status, text } = analyze('security', '--offline=true', '--threshold=25');
    assert.equal(status, 0, text.trim().split('\n').at(-1));
  });
});
