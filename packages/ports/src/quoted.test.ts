import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacter } from '@jackfield/testkit/any-character';
import fc from 'fast-check';
import { quoted } from './quoted.ts';

test('a quoted value stays on one line: every control character is escaped', () => {
  assert.equal(quoted('a\x7f\x85\n"'), '"a\\u007f\\u0085\\n\\""');
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (value) => assert.doesNotMatch(quoted(value), /\p{Cc}/u)),
  );
});

test('a long value is shortened', () => {
  assert.equal(quoted('x'.repeat(61)), `"${'x'.repeat(60)}…"`);
});
