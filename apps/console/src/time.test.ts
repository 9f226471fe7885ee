import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agoOf, lengthOf, readTime } from './time.ts';

test('the forms of time of the API are read as UTC', () => {
  const expected = Date.UTC(2026, 1, 1, 10, 0, 0);
  for (const text of [
    '2026-02-01 10:00:00+00:00',
    '2026-02-01 10:00:00.000000',
    '2026-02-01T10:00:00.000Z',
  ]) {
    assert.equal(readTime(text), expected, text);
  }
  assert.ok(Number.isNaN(readTime('')));
});

test('lengths and distances are short texts', () => {
  assert.deepEqual([0, 65, 3605].map(lengthOf), ['0:00', '1:05', '1:00:05']);
  assert.deepEqual(
    [0, -1_000, -120_000, -7_200_000].map((ms) => agoOf(ms, 0)),
    ['now', '1 second ago', '2 minutes ago', '2 hours ago'],
  );
});
