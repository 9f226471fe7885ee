import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { createProcessSpeechEngine } from '@jackfield/adapters/speech-recognition';
import { resample } from '@jackfield/media';
import { engineSampleRate, type RecognitionProblem, type SpeechResult } from '@jackfield/ports';
import { missing } from './support/installed.ts';

const grammar = join(import.meta.dirname, 'support/digits.gram');
const skip = missing('pocketsphinx_continuous');

/** What pocketsphinx understands of a text that our engine speaks. */
async function understood(text: string) {
  const speech = createEspeakSpeech();
  const engine = createProcessSpeechEngine({
    command: ['pocketsphinx_continuous', '-infile', '/dev/stdin', '-time', 'yes', '-jsgf', grammar],
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
