import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualClock } from '@jackfield/testkit';
import { createGenerations } from './generations.ts';

test('an entry is kept for at least one period and at most two', async () => {
  const clock = createVirtualClock();
  const generations = createGenerations<string>(clock, 1_000);
  const isKept = () => generations().recent.has('name') || generations().older.has('name');
  for (const age of [0, 400, 999]) {
    await clock.leap(age);
    generations().recent.set('name', 'value');
    await clock.leap(1_000);
    assert.equal(isKept(), true, `after one period, set at ${age}`);
    await clock.leap(1_000);
    assert.equal(isKept(), false, `after two periods, set at ${age}`);
  }
});

test('entries that are not read for two periods are dropped', async () => {
  const clock = createVirtualClock();
  const generations = createGenerations<string>(clock, 1_000);
  generations().recent.set('name', 'value');
  await clock.leap(60_000);
  assert.equal(generations().older.has('name'), false);
});
