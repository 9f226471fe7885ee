import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createSystemClock } from './system-clock.ts';

/** Both clocks move with the timers of `mock`. */
const mocked = { monotonic: () => Date.now(), wall: () => Date.now() };

for (const stepMs of [86_400_000, -3_600_000]) {
  test(`a step of ${stepMs} ms moves the wall clock, and neither the count nor a timer`, () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 5_000_000 });
    try {
      let stepped = 0;
      const offsets: number[] = [];
      const machine = { monotonic: () => Date.now() - 4_000_000, wall: () => Date.now() + stepped };
      const clock = createSystemClock({ machine, onStep: (offsetMs) => offsets.push(offsetMs) });
      assert.deepEqual([clock.now(), clock.wallNow()], [5_000_000, 5_000_000]);
      let fired = 0;
      clock.startTimer(clock.now() + 10_000, () => fired++);
      mock.timers.tick(4_000);
      stepped = stepMs;
      assert.deepEqual([clock.now(), clock.wallNow()], [5_004_000, 5_004_000 + stepMs]);
      mock.timers.tick(5_999);
      assert.equal(fired, 0);
      mock.timers.tick(1);
      assert.equal(fired, 1);
      assert.equal(clock.wallNow() - clock.now(), stepMs);
      stepped = 0;
      assert.equal(clock.wallNow(), clock.now());
      assert.deepEqual(offsets, [stepMs, 0]);
    } finally {
      mock.timers.reset();
    }
  });
}

test('clocks that differ by less than a second have not stepped: dates keep the order of their events', () => {
  let wall = 1_000_000;
  const clock = createSystemClock({ machine: { monotonic: () => 0, wall: () => wall } });
  for (const apart of [999, -999, 3]) {
    wall = 1_000_000 + apart;
    assert.equal(clock.wallNow(), clock.now());
  }
});

test('a timer fires once, not before its instant', async () => {
  const clock = createSystemClock({ keepsProcessAlive: true });
  const at = clock.now() + 20;
  const firedAt = await new Promise<number>((resolve) => clock.startTimer(at, () => resolve(clock.now())));
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
    createSystemClock({ machine: mocked }).startTimer(days60, () => fired++);
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

test('a cancelled timer never fires, also after its setTimeout was renewed', () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
  try {
    let fired = 0;
    const cancel = createSystemClock({ machine: mocked }).startTimer(3 * 2 ** 31, () => fired++);
    mock.timers.tick(2 ** 31);
    cancel();
    mock.timers.tick(4 * 2 ** 31);
    assert.equal(fired, 0);
  } finally {
    mock.timers.reset();
  }
});
