import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PacedUnits } from './paced.ts';

test('units begin when they are due, and do not wait for the end of earlier ones', async () => {
  const ends: (() => void)[] = [];
  const units = new PacedUnits(10, () => new Promise((resolve) => ends.push(resolve)));
  const began = performance.now();
  units.advance(began, 0);
  assert.equal(ends.length, 0);
  units.advance(began, 250);
  assert.equal(ends.length, 2);
  units.advance(began, 1_000);
  assert.equal(ends.length, 10);
  ends[0]!();
  await new Promise((resolve) => setImmediate(resolve));
  const { due, reached, failures } = units.outcome;
  assert.deepEqual({ due, reached, failures }, { due: 10, reached: 1, failures: 0 });
  for (const end of ends) end();
  await units.settled();
  assert.equal(units.outcome.reached, 10);
});

test('a kind that has 2,000 units in flight begins no more, and those that are due count', async () => {
  let begun = 0;
  const units = new PacedUnits(5_000, () => {
    begun++;
    return new Promise(() => {});
  });
  units.advance(performance.now(), 1_000);
  assert.equal(begun, 2_000);
  assert.deepEqual([units.outcome.due, units.outcome.reached], [5_000, 0]);
});

test('a unit that fails is counted as a failure, and not as reached', async () => {
  const units = new PacedUnits(1, () => Promise.reject(new Error('refused')));
  units.advance(performance.now(), 1_000);
  await units.settled();
  assert.deepEqual([units.outcome.reached, units.outcome.failures], [0, 1]);
});
