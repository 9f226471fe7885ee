import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostSlots } from './host-slots.ts';

test('each host has its own limited number of slots', () => {
  const slots = createHostSlots(2);
  assert.deepEqual(
    ['a', 'a', 'a', 'b'].map((host) => slots.take(host)),
    [true, true, false, true],
  );
  slots.free('a', false);
  assert.ok(slots.take('a'));
});

test('a freed slot is reported while refused requests wait', () => {
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

test('a refused request is reported when every slot was freed by silence', () => {
  const slots = createHostSlots(3);
  assert.deepEqual(
    ['a', 'a', 'a', 'a'].map((host) => slots.take(host)),
    [true, true, true, false],
  );
  assert.deepEqual([slots.free('a', true), slots.free('a', true), slots.free('a', true)], [0, 0, 1]);
});

test('a host that answers and has no request is dropped; silent hosts are kept up to a limit', () => {
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
