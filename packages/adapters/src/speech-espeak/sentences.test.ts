import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentencesOf } from './sentences.ts';

const first = 'This is a sentence of some length, with a comma in it. ';

test('a long text is made sentence by sentence, and a short one whole', () => {
  assert.deepEqual(sentencesOf(first.repeat(5)), Array(5).fill(first.trim()));
  assert.deepEqual(sentencesOf(first), [first]);
});

test('numbers and short sentences do not end a part, and no word is lost', () => {
  const text = `${'It costs 3.5 euros at www.example.com today, or so they say. '.repeat(4)}No. Yes. Perhaps`;
  const parts = sentencesOf(text);
  assert.equal(parts.length, 5);
  assert.equal(parts.join(' '), text);
  assert.equal(sentencesOf('a'.repeat(3_000)).join(''), 'a'.repeat(3_000));
});
