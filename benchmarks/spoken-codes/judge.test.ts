import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { judgeCodes, wordError } from './judge.ts';

const isInstalled = spawnSync('which', ['pocketsphinx_continuous']).status === 0;

for (const [codec, atMost] of [
  ['G722', 25],
  ['PCMU', 35],
] as const) {
  test(`pocketsphinx understands most digits of the codes that Verify speaks over ${codec}`, {
    skip: isInstalled ? false : 'pocketsphinx is not installed',
  }, async () => {
    const speech = createEspeakSpeech();
    const { codes } = await judgeCodes(speech, codec, 5).finally(() => speech.close());
    // By chance nine of ten would be wrong.
    assert.ok(wordError(codes) <= atMost, JSON.stringify(codes));
  });
}
