import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { judgeCodes, wordError } from './judge.ts';

const isInstalled = spawnSync('which', ['pocketsphinx_continuous']).status === 0;

test('pocketsphinx understands four of five digits of the codes that Verify speaks', {
  skip: isInstalled ? false : 'pocketsphinx is not installed',
}, async () => {
  const judged = await judgeCodes(5);
  // By chance nine of ten would be wrong.
  assert.ok(wordError(judged) <= 20, JSON.stringify(judged));
});
