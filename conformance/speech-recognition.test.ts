import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { createProcessSpeechEngine } from '@jackfield/adapters/speech-recognition';
import { resample } from '@jackfield/media';
import { engineSampleRate, type RecognitionProblem, type SpeechResult } from '@jackfield/ports';
import { missing } from './support/installed.ts';
import { blocksRunBy } from './support/snippets.ts';

/** The command of the guide, whose packages CI installs. */
function commandOfGuide(): readonly [string, ...string[]] {
  const [block] = blocksRunBy('docs/guides/speech-recognition.md', import.meta.filename);
  const [, packages = '', command = ''] =
    /^apt-get install (.+)\nexport JACKFIELD_SPEECH_ENGINE='command:(.+)'\n$/.exec(block!.text) ?? [];
  const installed = readFileSync(join(import.meta.dirname, '../.ci/run'), 'utf8');
  for (const name of packages.split(' ')) assert.match(installed, new RegExp(`packages=\\(.*\\b${name}\\b`));
  const [program = '', ...args] = command.split(' ');
  return [program, ...args];
}

const grammar = join(import.meta.dirname, 'support/digits.gram');
const skip = missing('pocketsphinx_continuous');

/** What pocketsphinx understands of a text that our engine speaks. */
async function understood(text: string) {
  const speech = createEspeakSpeech();
  const engine = createProcessSpeechEngine({
    command: [...commandOfGuide(), '-jsgf', grammar],
    limits: { answerMs: 60_000 },
  });
  try {
    const { samples, sampleRate } = await speech.speak({ text, language: 'en-US', voice: 'man' });
    const results: SpeechResult[] = [];
    const ended = Promise.withResolvers<RecognitionProblem | null>();
    const session = engine.open(
      { language: 'en-US', hints: [], model: null, profanityFilter: false, interim: false },
      { result: (result) => void results.push(result), over: ended.resolve },
    );
    const silence = new Int16Array(engineSampleRate);
    for (const each of [silence, resample(samples, sampleRate, engineSampleRate), silence])
      session.write(each);
    session.finish();
    assert.equal(await ended.promise, null);
    return results;
  } finally {
    engine.close();
    speech.close();
  }
}

test('pocketsphinx understands digits that a caller says, with times and a confidence', {
  skip,
}, async () => {
  const digits = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
  const results = await understood(digits.join(', '));
  const words = results.flatMap(({ text }) => text.split(' '));
  const right = digits.filter((digit, at) => words[at] === digit);
  // The voice is synthetic: it confuses the model for people now and then.
  assert.ok(right.length >= 7, words.join(' '));
  for (const { confidence, fromMs, toMs } of results) {
    assert.ok(confidence !== null && confidence >= 0 && confidence <= 1);
    assert.ok(fromMs < toMs);
  }
});
