import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequestSlots } from './request-slots.ts';

test('each lane has its own limited number of slots', () => {
  const slots = createRequestSlots(2);
  assert.deepEqual(
    ['a', 'a', 'a', 'b'].map((lane) => slots.take(lane)),
    [true, true, false, true],
  );
  slots.free('a', false);
  assert.ok(slots.take('a'));
});

test('a freed slot is reported while refused requests wait', () => {
  const slots = createRequestSlots(2);
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
  assert.equal(slots.lanes, 0);
});

test('a silent lane has one request at a time until it is answered', () => {
  const slots = createRequestSlots(8);
  slots.take('a');
  slots.free('a', true);
  assert.ok(slots.take('a'));
  assert.ok(!slots.take('a'));
  assert.equal(slots.free('a', true), 1);
  slots.moreWait('a');
  assert.ok(slots.take('a'));
  assert.equal(slots.free('a', false), 8);
});

test('a slot that is given back without a request is reported, and its lane stays silent', () => {
  const slots = createRequestSlots(8);
  slots.take('a');
  slots.free('a', true);
  slots.moreWait('a');
  assert.ok(slots.take('a'));
  assert.equal(slots.free('a'), 1);
  assert.deepEqual([slots.take('a'), slots.take('a')], [true, false]);
});

test('a refused request is reported when every slot was freed by silence', () => {
  const slots = createRequestSlots(3);
  assert.deepEqual(
    ['a', 'a', 'a', 'a'].map((lane) => slots.take(lane)),
    [true, true, true, false],
  );
  assert.deepEqual([slots.free('a', true), slots.free('a', true), slots.free('a', true)], [0, 0, 1]);
});

test('a lane that is answered and has no request is dropped; silent lanes are kept up to a limit', () => {
  const slots = createRequestSlots(8);
  slots.take('a');
  slots.free('a', false);
  assert.equal(slots.lanes, 0);
  for (let number = 0; number < 10_100; number++) {
    slots.take(`h${number}`);
    slots.free(`h${number}`, true);
  }
  assert.equal(slots.lanes, 10_000);
});
