import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualClock } from '@jackfield/testkit';
import { createMessageDelays } from './message-delays.ts';

test('a message counts as late by what it took longer than the fastest one of its sender', () => {
  const clock = createVirtualClock();
  const delayOf = createMessageDelays(clock);
  const behindMs = 7_000;
  assert.equal(delayOf('one', clock.now() - behindMs - 20), 0);
  assert.equal(delayOf('one', clock.now() - behindMs), 0);
  assert.equal(delayOf('one', clock.now() - behindMs - 20), 20);
  assert.equal(delayOf('two', clock.now() + behindMs), 0);
});

test('clocks that drift apart for days make no message late', async () => {
  const clock = createVirtualClock();
  const delayOf = createMessageDelays(clock);
  let drifted = 0;
  for (let minute = 0; minute < 4 * 24 * 60; minute++) {
    assert.ok(delayOf('one', clock.now() - drifted) < 20);
    drifted += 3;
    await clock.leap(60_000);
  }
});
