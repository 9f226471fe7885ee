import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import { createRenewal } from './renewal.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A certificate of 90 days, issued now, and orders that fail while `isFailing`. */
function world({ isSound = true, isFailing = false } = {}) {
  const clock = createVirtualClock();
  const issued = (): { from: Date; to: Date; isSound: boolean } => {
    const from = clock.wallNow();
    return { from: new Date(from), to: new Date(from + 90 * dayMs), isSound: true };
  };
  const state = { inUse: { ...issued(), isSound }, orders: [] as number[], isFailing };
  const begin = clock.now();
  const renewal = createRenewal({
    clock,
    log: createRecordingLog(),
    inUse: () => state.inUse,
    async renew() {
      state.orders.push((clock.now() - begin) / hourMs);
      if (state.isFailing) throw new Error('the authority refuses');
      state.inUse = issued();
    },
  });
  renewal.start();
  return { clock, state, renewal };
}

test('a certificate is renewed when a third of its life is left', async () => {
  const { clock, state, renewal } = world();
  await clock.advance(59 * dayMs);
  assert.deepEqual(state.orders, []);
  await clock.advance(2 * dayMs);
  assert.deepEqual(state.orders, [60 * 24]);
  await clock.advance(60 * dayMs);
  assert.equal(state.orders.length, 2);
  renewal.close();
});

test('a certificate that names too little, or that is our own, is replaced at the start', async () => {
  const { clock, state, renewal } = world({ isSound: false });
  await clock.advance(1);
  assert.deepEqual(state.orders, [0]);
  renewal.close();
});

test('an order that fails is repeated after 15 minutes, then after twice as long, up to 6 hours', async () => {
  const { clock, state, renewal } = world({ isSound: false, isFailing: true });
  await clock.advance(dayMs);
  assert.deepEqual(state.orders, [0, 0.25, 0.75, 1.75, 3.75, 7.75, 13.75, 19.75]);
  state.isFailing = false;
  await clock.advance(6 * hourMs);
  assert.deepEqual(state.orders.slice(8), [25.75]);
  await clock.advance(dayMs);
  assert.equal(state.orders.length, 9);
  renewal.close();
});

test('a step of the wall clock is seen within an hour', async () => {
  const { clock, state, renewal } = world();
  await clock.advance(dayMs);
  state.inUse = { ...state.inUse, to: new Date(clock.wallNow() + hourMs) };
  await clock.advance(hourMs);
  assert.equal(state.orders.length, 1);
  renewal.close();
});

test('a closed renewal orders nothing', async () => {
  const { clock, state, renewal } = world();
  renewal.close();
  await clock.advance(100 * dayMs);
  assert.deepEqual(state.orders, []);
});
