import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createVirtualClock } from './testing/memory-link.ts';
import { createTimerWheel } from './timer-wheel.ts';

test('A timer fires once, never early, and at most one slot late', () => {
  const clock = createVirtualClock(1_000_003);
  const fired: [string, number][] = [];
  const wheel = createTimerWheel<string>({ clock, fire: (owner) => fired.push([owner, clock.now()]) });
  wheel.start('a', 'x', clock.now() + 500);
  wheel.start('b', 'x', clock.now() + 32_000);
  wheel.start('past', 'x', clock.now() - 100);
  clock.advance(60_000);
  const late = fired.map(([owner, at]) => [owner, at - 1_000_003]);
  assert.deepEqual(late, [
    ['past', 7],
    ['a', 507],
    ['b', 32_007],
  ]);
  assert.equal(wheel.size(), 0);
  assert.equal(clock.pending(), 0);
});

test('A cancelled timer never fires, also when another of its slot cancels it', () => {
  const clock = createVirtualClock();
  const fired: string[] = [];
  const wheel = createTimerWheel<string>({
    clock,
    fire(owner) {
      fired.push(owner);
      wheel.cancel(second);
    },
  });
  wheel.start('first', 'x', clock.now() + 100);
  const second = wheel.start('second', 'x', clock.now() + 100);
  clock.advance(1000);
  assert.deepEqual(fired, ['first']);
  assert.equal(wheel.size(), 0);
});

test('An empty wheel keeps no clock timer', () => {
  const clock = createVirtualClock();
  const wheel = createTimerWheel<string>({ clock, fire: () => {} });
  const timer = wheel.start('a', 'x', clock.now() + 100);
  assert.equal(clock.pending(), 1);
  wheel.cancel(timer);
  assert.equal(clock.pending(), 0);
});

test('Timers that are started and cancelled at random, within and beyond one turn, fire in their slot', () => {
  const step = fc.record({
    delay: fc.integer({ min: -50, max: 3_000 }),
    wait: fc.integer({ min: 0, max: 400 }),
    cancel: fc.option(fc.nat(20), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const clock = createVirtualClock(77);
      const due = new Map<number, number>();
      // 64 slots of 10 ms: most timers are further away than one turn.
      const wheel = createTimerWheel<number>({
        clock,
        slots: 64,
        fire(owner) {
          const at = due.get(owner);
          assert.ok(at !== undefined, 'fires once and not after it was cancelled');
          assert.ok(clock.now() >= at, `not early: due ${at}, fired ${clock.now()}`);
          assert.ok(clock.now() - at <= 10, `not late: due ${at}, fired ${clock.now()}`);
          due.delete(owner);
        },
      });
      const timers: [number, ReturnType<typeof wheel.start>][] = [];
      for (const [id, { delay, wait, cancel }] of steps.entries()) {
        due.set(id, Math.max(clock.now() + delay, clock.now()));
        timers.push([id, wheel.start(id, 'x', clock.now() + delay)]);
        const victim = cancel === undefined ? undefined : timers[cancel];
        if (victim) {
          wheel.cancel(victim[1]);
          due.delete(victim[0]);
        }
        clock.advance(wait);
      }
      assert.equal(wheel.size(), due.size);
      clock.advance(10_000);
      assert.equal(due.size, 0);
      assert.equal(clock.pending(), 0);
    }),
    { numRuns: 200 },
  );
});

test('After a pause of the clock all due timers fire at once', () => {
  const clock = createVirtualClock();
  let fired = 0;
  let rings: (() => void)[] = [];
  let now = clock.now();
  const frozen = {
    now: () => now,
    startTimer(_at: number, fire: () => void) {
      rings.push(fire);
      return () => {
        rings = rings.filter((other) => other !== fire);
      };
    },
  };
  const wheel = createTimerWheel<string>({ clock: frozen, fire: () => (fired += 1), slots: 64 });
  for (let ms = 10; ms <= 5_000; ms += 10) wheel.start('a', 'x', now + ms);
  now += 60_000;
  rings.shift()!();
  assert.equal(fired, 500);
  assert.equal(wheel.size(), 0);
});
