import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSharedSlots, type SharedSlots } from './shared-slots.ts';

/** Takes slots until one is refused. */
function takeAll(slots: SharedSlots, lane: string, pool = 'p'): number {
  for (let taken = 0; ; taken++) if (!slots.take(pool, lane)) return taken;
}

test('one lane gets the share of its weight, and lanes beside it a part of what is left', () => {
  for (const [weight, shares] of [
    [1, [16, 8, 4]],
    [3, [24, 6, 2]],
  ] as const) {
    const slots = createSharedSlots({ total: 32, weight });
    assert.deepEqual(
      ['a', 'b', 'c'].map((lane) => takeAll(slots, lane)),
      shares,
    );
  }
});

test('each pool has slots of its own', () => {
  const slots = createSharedSlots({ total: 4, weight: 1 });
  assert.equal(takeAll(slots, 'a', 'p'), 2);
  assert.equal(takeAll(slots, 'a', 'q'), 2);
});

test('slots that a lane frees are reported to each lane with refused requests, once', () => {
  const slots = createSharedSlots({ total: 8, weight: 1 });
  assert.deepEqual([takeAll(slots, 'a'), takeAll(slots, 'b')], [4, 2]);
  assert.deepEqual(slots.free('p', 'a'), [{ lane: 'b', slots: 1 }]);
  assert.deepEqual(slots.free('p', 'a'), [{ lane: 'a', slots: 1 }]);
  assert.deepEqual(slots.free('p', 'a'), []);
  slots.moreWait('p', 'b');
  assert.deepEqual(slots.free('p', 'a'), [{ lane: 'b', slots: 2 }]);
});

test('a silent lane has one request at a time until it is answered, and its silence holds for no other lane', () => {
  const slots = createSharedSlots({ total: 8, weight: 1 });
  slots.take('p', 'a');
  slots.free('p', 'a', true);
  assert.equal(takeAll(slots, 'a'), 1);
  assert.equal(takeAll(slots, 'b'), 4);
  assert.deepEqual(slots.free('p', 'a', true), [{ lane: 'a', slots: 1 }]);
  slots.moreWait('p', 'a');
  assert.ok(slots.take('p', 'a'));
  assert.deepEqual(slots.free('p', 'a', false), [{ lane: 'a', slots: 2 }]);
});

test('a slot that is given back without a request is reported, and its lane stays silent', () => {
  const slots = createSharedSlots({ total: 8, weight: 1 });
  slots.take('p', 'a');
  slots.free('p', 'a', true);
  slots.moreWait('p', 'a');
  assert.ok(slots.take('p', 'a'));
  assert.deepEqual(slots.free('p', 'a'), [{ lane: 'a', slots: 1 }]);
  assert.equal(takeAll(slots, 'a'), 1);
});

test('a refused request is reported when every slot was freed by silence', () => {
  const slots = createSharedSlots({ total: 4, weight: 3 });
  assert.equal(takeAll(slots, 'a'), 3);
  const freed = [1, 2, 3].map(() => slots.free('p', 'a', true));
  assert.deepEqual(freed, [[], [], [{ lane: 'a', slots: 1 }]]);
});

test('a lane that is answered and has no request is dropped; silent lanes are kept up to a limit', () => {
  const slots = createSharedSlots({ total: 8, weight: 1 });
  slots.take('p', 'a');
  slots.free('p', 'a', false);
  assert.equal(slots.lanes, 0);
  for (let number = 0; number < 10_100; number++) {
    slots.take(`h${number % 7}`, `h${number}`);
    slots.free(`h${number % 7}`, `h${number}`, true);
  }
  assert.equal(slots.lanes, 10_000);
});

test('every refused request comes back in the end, and no pool is used beyond its slots', () => {
  const lane = fc.constantFrom('a', 'b', 'c', 'd');
  const act = fc.record({ lane, isTake: fc.boolean(), wasSilent: fc.boolean() });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200 }), fc.constantFrom(1, 3), (acts, weight) => {
      const slots = createSharedSlots({ total: 6, weight });
      const inFlight = new Map<string, number>();
      const refused = new Map<string, number>();
      const add = (map: Map<string, number>, name: string, change: number) =>
        map.set(name, (map.get(name) ?? 0) + change);
      const sum = (map: Map<string, number>) => [...map.values()].reduce((all, each) => all + each, 0);
      const take = (name: string) => add(slots.take('p', name) ? inFlight : refused, name, 1);
      const free = (name: string, wasSilent: boolean) => {
        if ((inFlight.get(name) ?? 0) === 0) return;
        add(inFlight, name, -1);
        for (const freed of slots.free('p', name, wasSilent)) {
          const resumed = Math.min(freed.slots, refused.get(freed.lane) ?? 0);
          if (resumed === freed.slots) slots.moreWait('p', freed.lane);
          add(refused, freed.lane, -resumed);
          for (let number = 0; number < resumed; number++) take(freed.lane);
        }
      };
      for (const { lane: name, isTake, wasSilent } of acts) {
        if (isTake) take(name);
        else free(name, wasSilent);
        assert.ok(sum(inFlight) <= 6);
      }
      while (sum(inFlight) > 0) for (const name of [...inFlight.keys()]) free(name, false);
      assert.equal(sum(refused), 0);
    }),
  );
});
