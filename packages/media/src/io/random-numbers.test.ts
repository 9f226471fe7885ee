import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandomNumbers } from './random-numbers.ts';

test('random numbers are in [0, 1), of 32 bits, and none repeats when they are drawn anew', () => {
  const random = createRandomNumbers();
  const numbers = Array.from({ length: 1000 }, random);
  assert.ok(numbers.every((number) => number >= 0 && number < 1 && Number.isInteger(number * 2 ** 32)));
  // Of 1,000 numbers of 32 bits, two are equal once in 8,600 runs; five are not.
  assert.ok(new Set(numbers).size > 995);
  const mean = numbers.reduce((sum, number) => sum + number) / numbers.length;
  assert.ok(Math.abs(mean - 0.5) < 0.1, `the mean is ${mean}`);
});
