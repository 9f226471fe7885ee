import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { steppedPattern } from './backtracking.ts';

const patterns = [
  /^[a-c]+$/,
  /a|bc|[^a]d/,
  /(?:a|b(?=c)|c(?!a))*d?/,
  /^(?:ab|a(?:b|c|)d)+?c{1,2}$/,
  /\ba{2}[b-d]*?(a|b)/,
  /[ \t]+$/,
  /\r\n(?:aa|b)[ \t]*:(?:[ \t]|\r\n[ \t])*([^\r\n]*)/,
  /^A[B-D-]{2,}\x61?/i,
];

test('A stepped pattern matches the same texts as the engine', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', 'c', 'd', ' ', '\r\n', ':', 'A', '-'),
    maxLength: 12,
  });
  fc.assert(
    fc.property(fc.constantFrom(...patterns), text, (pattern, subject) => {
      const found = pattern.exec(subject);
      const end = found === null ? -1 : found.index + found[0].length;
      assert.equal(steppedPattern(pattern).match(subject, 0).end, end, String(pattern));
    }),
    { numRuns: 5_000 },
  );
});

test('Backtracks are counted: a pattern for trailing spaces has quadratic cost', () => {
  const steps = (pattern: RegExp, size: number) =>
    steppedPattern(pattern).match(`${' '.repeat(size)}x`, 0).steps;
  assert.ok(steps(/[ \t]+$/, 200) > 3.8 * steps(/[ \t]+$/, 100));
  assert.ok(steps(/^[ \t]+$/, 200) < 2.1 * steps(/^[ \t]+$/, 100));
  assert.ok(steps(/^(?: | x)*$/, 200) < 2.1 * steps(/^(?: | x)*$/, 100));
  assert.throws(() => steps(/^(?: +)+$/, 60), /steps/);
});
