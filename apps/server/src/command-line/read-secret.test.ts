import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { askSecret } from './read-secret.ts';

/** A user at a terminal who types these keys. */
async function typing(keys: string) {
  const terminal = { input: new PassThrough(), output: new PassThrough() };
  const secret = askSecret('auth_token: ', terminal);
  terminal.input.write(keys);
  const [outcome] = await Promise.allSettled([secret]);
  return { outcome, shown: await text(terminal.output.end()) };
}

test('a secret that is typed is not shown', async () => {
  const { outcome, shown } = await typing('of-mine \r');
  assert.deepEqual(outcome, { status: 'fulfilled', value: 'of-mine' });
  assert.equal(shown, 'auth_token: \n');
});

test('Ctrl-C and Ctrl-D at the prompt of a secret are failures with a sentence', async () => {
  for (const key of ['\x03', '\x04', 'half\x03']) {
    const { outcome, shown } = await typing(key);
    assert.deepEqual(outcome?.status === 'rejected' && [outcome.reason.name, outcome.reason.message], [
      'CommandFailure',
      'auth_token was not given: the command was interrupted.',
    ]);
    assert.equal(shown, 'auth_token: \n');
  }
});
