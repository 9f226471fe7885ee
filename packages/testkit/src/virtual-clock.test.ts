import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualClock } from './virtual-clock.ts';

test('timers fire in order of their instant, then of their start, and see their own instant', async () => {
  const clock = createVirtualClock({ startAt: 1000 });
  const seen: string[] = [];
  const start = (name: string, at: number) => clock.startTimer(at, () => seen.push(`${name}@${clock.now()}`));
  start('late', 1300);
  start('first of two', 1200);
  start('second of two', 1200);
  start('early', 1100);
  start('passed', 10);
  await clock.advance(250);
  assert.deepEqual(seen, ['passed@1000', 'early@1100', 'first of two@1200', 'second of two@1200']);
  assert.equal(clock.now(), 1250);
  assert.equal(clock.pending, 1);
  assert.equal(clock.nextAt, 1300);
});

test('the work of a timer settles before the next timer fires, and timers that it starts fire in the same advance', async () => {
  const clock = createVirtualClock({ startAt: 0 });
  const seen: string[] = [];
  clock.startTimer(10, () => {
    void Promise.resolve().then(async () => {
      await new Promise(setImmediate);
      seen.push(`settled@${clock.now()}`);
      clock.startTimer(15, () => seen.push(`nested@${clock.now()}`));
    });
  });
  clock.startTimer(20, () => seen.push(`next@${clock.now()}`));
  await clock.advance(20);
  assert.deepEqual(seen, ['settled@10', 'nested@15', 'next@20']);
});

test('a cancelled timer never fires, cancelling twice or after the fire does nothing', async () => {
  const clock = createVirtualClock();
  let fired = 0;
  const cancel = clock.startTimer(clock.now() + 5, () => fired++);
  const other = clock.startTimer(clock.now() + 5, () => fired++);
  cancel();
  cancel();
  assert.equal(clock.pending, 1);
  await clock.advance(5);
  other();
  assert.equal(fired, 1);
  assert.equal(clock.pending, 0);
});

test('a timer that rearms itself at once for ever ends the advance with an error', async () => {
  const clock = createVirtualClock({ settle: async () => {}, maximumFires: 100 });
  const again = (): void => void clock.startTimer(clock.now(), again);
  again();
  await assert.rejects(clock.advance(1), /100 timers/);
});

test('time does not move backwards', async () => {
  await assert.rejects(createVirtualClock().advance(-1), RangeError);
  assert.throws(() => createVirtualClock().startTimer(Number.NaN, () => {}), RangeError);
});

test('after a leap each timer that was due fires once, late and in order, and those that they start wait', async () => {
  const clock = createVirtualClock({ startAt: 0 });
  const seen: string[] = [];
  const every = (ms: number) => {
    seen.push(`${ms}@${clock.now()}`);
    clock.startTimer(clock.now() + ms, () => every(ms));
  };
  every(7);
  every(5);
  clock.startTimer(4, () => cancel());
  const cancel = clock.startTimer(6, () => seen.push('cancelled'));
  clock.startTimer(101, () => seen.push('later'));
  await clock.leap(100);
  assert.deepEqual(seen, ['7@0', '5@0', '5@100', '7@100']);
  assert.equal(clock.pending, 3);
  await clock.advance(5);
  assert.deepEqual(seen.slice(4), ['later', '5@105']);
  await assert.rejects(clock.leap(-1), RangeError);
});
