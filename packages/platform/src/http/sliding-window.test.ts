import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SlidingWindow } from './sliding-window.ts';

test('a window admits never more than its limit in any stretch, and refuses nothing below it', () => {
  const windowMs = 100;
  // A limit of 100 needs more than one ring of instants.
  const limits = fc.constantFrom(5, 16, 17, 100);
  fc.assert(
    fc.property(limits, fc.array(fc.oneof(fc.nat(60), fc.nat(1)), { maxLength: 400 }), (limit, pauses) => {
      const window = new SlidingWindow({ limit, windowMs, maxKeys: 10 });
      const allowed: number[] = [];
      let now = 1_000_000;
      for (const pause of pauses) {
        now += pause;
        const inWindow = allowed.filter((at) => at > now - windowMs);
        const state = window.take('key', now);
        assert.equal(state.allowed, inWindow.length < limit);
        if (state.allowed) allowed.push(now);
        const counted = allowed.filter((at) => at > now - windowMs);
        assert.equal(state.remaining, limit - counted.length);
        assert.equal(state.resetMs, counted[0]! + windowMs - now);
        assert.deepEqual(window.look('key', now), { ...state, allowed: state.remaining > 0 });
      }
    }),
  );
});

test('keys are counted apart, and the key that was longest without an event is forgotten first', () => {
  const window = new SlidingWindow({ limit: 1, windowMs: 100, maxKeys: 2 });
  assert.ok(window.take('a', 0).allowed);
  assert.ok(window.take('b', 0).allowed);
  assert.ok(!window.take('a', 1).allowed);
  assert.ok(window.take('c', 1).allowed);
  assert.equal(window.keys, 2);
  assert.ok(!window.look('a', 1).allowed);
  assert.deepEqual(window.look('b', 1), { allowed: true, remaining: 1, resetMs: 0 });
});

test('a key whose limit is large costs memory for its events only', () => {
  const window = new SlidingWindow({ limit: 10_000_000, windowMs: 100, maxKeys: 100 });
  const { arrayBuffers } = process.memoryUsage();
  for (let key = 0; key < 100; key++) assert.ok(window.take(String(key), 0).allowed);
  assert.ok(process.memoryUsage().arrayBuffers - arrayBuffers < 1_000_000);
});
