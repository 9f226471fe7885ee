import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arrivals } from './arrivals.ts';

test('the packets of one poll are dated from its beginning, however long it takes; others from now', () => {
  let now = 1000;
  const arrivals = new Arrivals(() => now);
  arrivals.pollBegins();
  assert.equal(arrivals.msOf(4), 996);
  now += 3;
  assert.equal(arrivals.msOf(4), 996, 'as old as the first one');
  arrivals.pollEnds();
  assert.equal(arrivals.msOf(0), 1003);
});
