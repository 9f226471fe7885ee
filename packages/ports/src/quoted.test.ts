import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { quoted } from './quoted.ts';

/** Cheaper than `unit: 'binary'`, which lists all of them first. */
const anyCodePoint = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

test('a quoted value stays on one line: every control character is escaped', () => {
  assert.equal(quoted('a\x7f\x85\n"'), '"a\\u007f\\u0085\\n\\""');
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), (value) => assert.doesNotMatch(quoted(value), /\p{Cc}/u)),
  );
});

test('a long value is shortened', () => {
  assert.equal(quoted('x'.repeat(61)), `"${'x'.repeat(60)}…"`);
});
