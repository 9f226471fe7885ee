import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteDate, serverNow } from './server-clock.ts';

test('the time is that of the server, from the last answer that differs by five seconds', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1, 12) });
  const aheadS = () => (serverNow() - Date.now()) / 1000;
  const noted = (date: string | null) => {
    noteDate(date);
    return aheadS();
  };
  assert.equal(noted('Thu, 01 Jan 2026 12:00:04 GMT'), 0);
  assert.equal(noted('Thu, 01 Jan 2026 13:00:00 GMT'), 3600);
  assert.equal(noted('Thu, 01 Jan 2026 13:00:03 GMT'), 3600, 'an answer that was under way for longer');
  t.mock.timers.tick(10_000);
  assert.equal(aheadS(), 3600);
  assert.equal(noted('Thu, 01 Jan 2026 11:00:10 GMT'), -3600);
  for (const none of [null, '', 'yesterday']) assert.equal(noted(none), -3600);
  assert.equal(noted('Thu, 01 Jan 2026 12:00:10 GMT'), 0);
});
