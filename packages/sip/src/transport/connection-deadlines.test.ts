import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ConnectionDeadlines } from './connection-deadlines.ts';
import { DEFAULT_CONNECTION_LIMITS } from './stream-connection.ts';

it('A connection that is not established is given up after 5 s, so that a call can go on to the next address', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isOver = false;
  new ConnectionDeadlines(DEFAULT_CONNECTION_LIMITS, () => {
    isOver = true;
  }).connecting();
  t.mock.timers.tick(4_999);
  assert.equal(isOver, false);
  t.mock.timers.tick(1);
  assert.equal(isOver, true);
});
