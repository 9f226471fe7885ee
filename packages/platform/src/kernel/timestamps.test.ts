import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dateOnly,
  parseTimestamp,
  timestamp,
  timestampWithMicroseconds,
  timestampWithOffset,
} from './timestamps.ts';

const at = Date.UTC(2026, 1, 3, 4, 5, 6, 789);

test('instants are written in UTC, to the second', () => {
  assert.equal(timestampWithOffset(at), '2026-02-03 04:05:06+00:00');
  assert.equal(timestamp(at), '2026-02-03 04:05:06');
  assert.equal(dateOnly(at), '2026-02-03');
});

test('an instant of another second is written as itself, whatever was written before', () => {
  const next = at + 1_000;
  assert.deepEqual(
    [at, next, at].map((each) => timestampWithMicroseconds(each)),
    ['2026-02-03 04:05:06.789000', '2026-02-03 04:05:07.789000', '2026-02-03 04:05:06.789000'],
  );
  assert.equal(
    timestampWithMicroseconds(Date.UTC(2026, 1, 3, 4, 5, 6, 7) + 0.5),
    '2026-02-03 04:05:06.007000',
  );
});

test('filters accept a date, minutes, seconds and fractions', () => {
  assert.equal(parseTimestamp('2026-02-03'), Date.UTC(2026, 1, 3));
  assert.equal(parseTimestamp('2026-02-03 04:05'), Date.UTC(2026, 1, 3, 4, 5));
  assert.equal(parseTimestamp('2026-02-03 04:05:06'), Date.UTC(2026, 1, 3, 4, 5, 6));
  assert.equal(parseTimestamp('2026-02-03T04:05:06.789123'), at);
});

test('dates that do not exist are refused, not carried over', () => {
  for (const text of [
    '2026-02-31',
    '2026-13-01',
    '2026-00-10',
    '2026-02-03 24:00',
    '2026-02-03 04:60',
    '0050-01-01',
    '',
    'now',
    '2026-02-03 04:05:06+00:00',
  ]) {
    assert.equal(parseTimestamp(text), undefined, text);
  }
});
