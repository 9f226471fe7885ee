import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostSlots } from './host-slots.ts';

test('a host has so many slots, and another host its own', () => {
  const slots = createHostSlots(2);
  assert.deepEqual(
    ['a', 'a', 'a', 'b'].map((host) => slots.take(host)),
    [true, true, false, true],
  );
  slots.free('a', false);
  assert.ok(slots.take('a'));
});

test('who was turned away is called when a slot is freed, as long as somebody is left', () => {
  const slots = createHostSlots(2);
  slots.take('a');
  slots.take('a');
  assert.equal(slots.free('a', false), 0);
  slots.take('a');
  slots.take('a');
  assert.equal(slots.free('a', false), 1);
  assert.equal(slots.free('a', false), 0);
  slots.moreWait('a');
  slots.take('a');
  assert.equal(slots.free('a', false), 2);
  assert.equal(slots.hosts, 0);
});

test('a silent host has one request at a time until it answers', () => {
  const slots = createHostSlots(8);
  slots.take('a');
  slots.free('a', true);
  assert.ok(slots.take('a'));
  assert.ok(!slots.take('a'));
  assert.equal(slots.free('a', true), 1);
  slots.moreWait('a');
  assert.ok(slots.take('a'));
  assert.equal(slots.free('a', false), 8);
});

test('a host that answers and has nothing under way is forgotten; silent ones within a bound', () => {
  const slots = createHostSlots(8);
  slots.take('a');
  slots.free('a', false);
  assert.equal(slots.hosts, 0);
  for (let number = 0; number < 10_100; number++) {
    slots.take(`h${number}`);
    slots.free(`h${number}`, true);
  }
  assert.equal(slots.hosts, 10_000);
});
