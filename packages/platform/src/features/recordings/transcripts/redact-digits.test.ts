import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactDigits } from './redact-digits.ts';

test('digits of any script are masked', () => {
  assert.equal(redactDigits('my card is 4111 1111'), 'my card is #### ####');
  assert.equal(redactDigits('٣٤ and ५'), '## and #');
});

test('two or more names of digits in a row are masked, and one alone stays', () => {
  assert.equal(redactDigits('it is four one, one double seven.'), 'it is # #, # # #.');
  assert.equal(redactDigits('one of us has two'), 'one of us has two');
  assert.equal(redactDigits('Die Nummer: eins-zwei drei'), 'Die Nummer: #-# #');
  assert.equal(redactDigits('someone twofold'), 'someone twofold');
});
