import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { attackVerification } from './verify-attack.ts';

const small = { sessions: 3, messages: 35, price: 0.05, progress() {} };
/** The time of answers is not asserted: the machine of a test is busy. */
const judged = (findings: readonly { attack: string; holds: boolean }[]) =>
  findings
    .filter(({ attack, holds }) => !attack.startsWith('the time') && !holds)
    .map(({ attack }) => attack);

test('the report shows weak settings as broken and strong settings as held', async () => {
  const strong = await attackVerification({ ...small, app: { fraud_shield: 'high' } }, {});
  assert.deepEqual(judged(strong.findings), []);
  assert.match(strong.text, /held +guesses against one session +5 compared, then locked/);
  assert.match(strong.text, /held +35 messages to one block .* 30 sent, 5 blocked, 0 refused; cost 1\.50/);

  const weak = { code_length: 4, max_validations: 10, fraud_shield: 'off' };
  const report = await attackVerification({ ...small, app: weak }, {});
  assert.deepEqual(judged(report.findings), [
    'guesses against one number for an hour, and for a day',
    '35 messages to one block of 10,000 numbers',
  ]);
});

test('a setting that does not exist, and an address without its credentials, are refused with a sentence', () => {
  const run = (...flags: string[]) => {
    const main = join(import.meta.dirname, '../main.ts');
    const { status, stderr } = spawnSync(process.execPath, [main, 'verify-attack', ...flags], {
      encoding: 'utf8',
    });
    return { status, stderr };
  };
  assert.deepEqual(run('--url', 'http://127.0.0.1:1'), {
    status: 1,
    stderr: '--url needs --auth-id and --auth-token\n',
  });
  const wrong = run('--set', 'code_length=3');
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, /code_length/);
});
