import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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

test('the commands of the guide attack: the defaults hold, weak settings are shown as broken, a server is asked', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/guides/verify.md'), 'utf8');
  const commands = [...page.matchAll(/^npx jackfield verify-attack (.*?) {2,}# (.*)$/gm)];
  assert.deepEqual(
    commands.map(([, , comment]) => comment),
    [
      'the defaults, on a platform started for the attack alone',
      'what other settings are worth',
      'a sandbox that runs',
    ],
  );
  const [defaults, weak, away] = commands.map(([, flags = '']) => {
    // No server listens on port 1.
    const words = flags.replace('127.0.0.1:8080', '127.0.0.1:1').split(' ').filter(Boolean);
    const main = join(import.meta.dirname, '../main.ts');
    return spawnSync(process.execPath, [main, 'verify-attack', ...words], { encoding: 'utf8' });
  });
  // Times are those of this machine, which does other work beside the test.
  const broken = ({ stdout }: { stdout: string }) => stdout.match(/^BROKEN +(?! |the time)/gm)?.length ?? 0;
  assert.match(defaults!.stdout, /Settings: codes of 6 digits/);
  assert.equal(broken(defaults!), 0, defaults!.stdout);
  assert.match(weak!.stdout, /Settings: codes of 4 digits/);
  assert.ok(broken(weak!) > 0, weak!.stdout);
  assert.equal(weak!.status, 1);
  assert.equal(away!.status, 1);
  assert.match(away!.stderr, /^http:\/\/127\.0\.0\.1:1 cannot be reached: .*\n$/);
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
    stderr: '--url needs --auth-id and --auth-token.\n',
  });
  const wrong = run('--set', 'code_length=3');
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, /code_length/);
});
