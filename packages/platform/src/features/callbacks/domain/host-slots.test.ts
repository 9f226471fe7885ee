import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostSlots } from './host-slots.ts';

test('a host has so many slots, and another host its own', () => {
  const slots = createHostSlots(2);
  assert.deepEqual(slots.take('a', 0), { taken: true });
  assert.deepEqual(slots.take('a', 0), { taken: true });
  assert.deepEqual(slots.take('a', 0), { taken: false, at: 100 });
  assert.deepEqual(slots.take('b', 0), { taken: true });
  slots.free('a', false);
  assert.deepEqual(slots.take('a', 0), { taken: true });
});

test('who is turned away waits the longer the more were before, and never for ever', () => {
  const slots = createHostSlots(2);
  slots.take('a', 0);
  slots.take('a', 0);
  const waits = Array.from({ length: 1000 }, () => slots.take('a', 0));
  assert.deepEqual(waits[3], { taken: false, at: 200 });
  assert.deepEqual(waits[999], { taken: false, at: 30_000 });
});

test('a silent host has one request at a time until it answers', () => {
  const slots = createHostSlots(8);
  slots.take('a', 0);
  slots.free('a', true);
  assert.ok(slots.take('a', 0).taken);
  assert.ok(!slots.take('a', 0).taken);
  slots.free('a', false);
  assert.ok(slots.take('a', 0).taken);
  assert.ok(slots.take('a', 0).taken);
});

test('a host that answers and has nothing under way is forgotten; silent ones within a bound', () => {
  const slots = createHostSlots(8);
  slots.take('a', 0);
  slots.free('a', false);
  assert.equal(slots.hosts, 0);
  for (let number = 0; number < 10_100; number++) {
    slots.take(`h${number}`, 0);
    slots.free(`h${number}`, true);
  }
  assert.equal(slots.hosts, 10_000);
});
