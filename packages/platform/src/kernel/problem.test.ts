import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidParameter, invalidSecret, missingParameter, statusOf } from './problem.ts';

test('a sentence names the parameter, the value and what is allowed', () => {
  const problem = invalidParameter('limit', '21', 'a whole number from 1 to 20');
  assert.equal(problem.sentence, 'limit must be a whole number from 1 to 20, not "21"');
  assert.equal(statusOf(problem), 400);
  assert.equal(missingParameter('answer_url').sentence, 'answer_url parameter is missing');
});

test('a value of any size or content gives one short line', () => {
  for (const value of [
    'x'.repeat(100_000),
    'a\r\nb\0',
    ['x'.repeat(9999)],
    { a: 1 },
    null,
    undefined,
    1e300,
    true,
  ]) {
    const { sentence } = invalidParameter('alias', value, 'short');
    assert.ok(sentence.length < 200, sentence);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    assert.doesNotMatch(sentence, /[\u0000-\u001f]/);
  }
});

test('the sentence about a secret does not repeat it', () => {
  assert.equal(
    invalidSecret('password', 'at least 5 characters long').sentence,
    'password must be at least 5 characters long',
  );
});
