import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTranscript } from './read-transcript.ts';

test('lines of text are results without confidence', () => {
  const texts = readTranscript('one two\n\n three \n').map(({ text, confidence }) => [text, confidence]);
  assert.deepEqual(texts, [
    ['one two', null],
    ['three', null],
  ]);
});

test('words with times after a line give its times and mean confidence, without silences', () => {
  const output =
    'go forward\n<s> 0.000 0.100 1.000000\ngo 0.110 0.400 0.500000\nforward(2) 0.410 0.900 1.000000\n</s> 0.910 1.000 1.000000\n';
  assert.deepEqual(readTranscript(output), [
    { text: 'go forward', confidence: 0.75, fromMs: 110, toMs: 900 },
  ]);
});

test('the marks of silence, noise and grammar are not words', () => {
  const marks = ['<sil>', '[NOISE]', '++UM++', '(NULL)'].map((mark) => `${mark} 5.000 6.000 0.100000\n`);
  assert.deepEqual(readTranscript(`zero\nzero(2) 0.500 0.900 0.700000\n${marks.join('')}`), [
    { text: 'zero', confidence: 0.7, fromMs: 500, toMs: 900 },
  ]);
});

test('an output without text has no results', () => {
  assert.deepEqual(readTranscript(''), []);
  assert.deepEqual(readTranscript('go 0.110 0.400 0.500000\n'), []);
});
