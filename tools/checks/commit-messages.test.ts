import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commitsAfter, faultsOf } from './commit-messages.ts';

const body = '\n\nThe phone asked for it.\n';

test('an area, an imperative, an empty line and a body pass', () => {
  for (const subject of [
    'sip: answer OPTIONS',
    'sip, media: agree on one clock',
    'call-instructions: read Dial',
    'media: ring once',
  ]) {
    assert.deepEqual(faultsOf(`${subject}${body}`), [], subject);
  }
});

test('each fault of a message is named', () => {
  const faults = (message: string) => faultsOf(message).join('; ');
  assert.match(faults(`Answer OPTIONS${body}`), /area: imperative/);
  assert.match(faults(`sip: answered OPTIONS${body}`), /no imperative/);
  assert.match(faults(`sip: adds OPTIONS${body}`), /no imperative/);
  assert.match(faults(`sip: answer ${'x'.repeat(70)}${body}`), /82 characters; at most 72/);
  assert.match(faults('sip: answer OPTIONS\nat once\n\nBecause.'), /second line/);
  assert.match(faults('sip: answer OPTIONS\n'), /body/);
});

test('a clone that does not reach back to the rule is not judged, and no commit before the rule', () => {
  const root = mkdtempSync(join(tmpdir(), 'commits-'));
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' }).trim();
  };
  try {
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'before the rule');
    const since = git('rev-parse', 'HEAD');
    git('commit', '-q', '--allow-empty', '-m', 'sip: answer OPTIONS', '-m', 'Why.');
    assert.deepEqual(
      commitsAfter(since, root).map(({ message }) => message.trim()),
      ['sip: answer OPTIONS\n\nWhy.'],
    );
    assert.deepEqual(commitsAfter('0'.repeat(40), root), []);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
