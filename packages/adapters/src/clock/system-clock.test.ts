import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createSystemClock } from './system-clock.ts';

test('a timer fires once, not before its instant', async () => {
  const clock = createSystemClock({ keepsProcessAlive: true });
  const at = clock.now() + 20;
  const firedAt = await new Promise<number>((resolve) => clock.startTimer(at, () => resolve(Date.now())));
  assert.ok(firedAt >= at);
});

test('a timer whose instant has passed fires at once, yet never inside startTimer', async () => {
  const clock = createSystemClock({ keepsProcessAlive: true });
  let inside = true;
  await new Promise<void>((resolve) => {
    clock.startTimer(0, () => {
      assert.equal(inside, false);
      resolve();
    });
    inside = false;
  });
});

test('a timer further away than setTimeout can count waits for its instant', () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
  try {
    let fired = 0;
    const days60 = 60 * 86_400_000;
    createSystemClock().startTimer(days60, () => fired++);
    mock.timers.tick(2 ** 31 - 1);
    assert.equal(fired, 0);
    mock.timers.tick(days60 - (2 ** 31 - 1) - 1);
    assert.equal(fired, 0);
    mock.timers.tick(1);
    assert.equal(fired, 1);
  } finally {
    mock.timers.reset();
  }
});

test('a cancelled timer never fires, also after it was armed again on the way', () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
  try {
    let fired = 0;
    const cancel = createSystemClock().startTimer(3 * 2 ** 31, () => fired++);
    mock.timers.tick(2 ** 31);
    cancel();
    mock.timers.tick(4 * 2 ** 31);
    assert.equal(fired, 0);
  } finally {
    mock.timers.reset();
  }
});
