import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readByteRange } from './byte-range.ts';

test('RFC 9110 §14.1.2: a range is given by first and last byte, with an open end, or by a number of last bytes', () => {
  assert.deepEqual(readByteRange('bytes=0-499', 10_000), { from: 0, to: 499 });
  assert.deepEqual(readByteRange('bytes=500-999', 10_000), { from: 500, to: 999 });
  assert.deepEqual(readByteRange('bytes=-500', 10_000), { from: 9500, to: 9999 });
  assert.deepEqual(readByteRange('bytes=9500-', 10_000), { from: 9500, to: 9999 });
  assert.deepEqual(readByteRange('bytes=0-0', 10_000), { from: 0, to: 0 });
  assert.deepEqual(readByteRange('BYTES= 1-2', 10_000), { from: 1, to: 2 });
});

test('RFC 9110 §14.1.2: a range that reaches beyond the end is cut, a range that begins there cannot be satisfied', () => {
  assert.deepEqual(readByteRange('bytes=5-999', 10), { from: 5, to: 9 });
  assert.deepEqual(readByteRange('bytes=-999', 10), { from: 0, to: 9 });
  for (const header of ['bytes=10-', 'bytes=10-20', 'bytes=-0']) {
    assert.equal(readByteRange(header, 10), 'unsatisfiable');
  }
  for (const header of ['bytes=0-', 'bytes=-1', 'bytes=0-0']) {
    assert.equal(readByteRange(header, 0), 'unsatisfiable');
  }
});

test('RFC 9110 §14.2: a malformed range, one of another unit, and several ranges are ignored', () => {
  for (const header of [
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=5-4',
    'items=0-1',
    'bytes=0-1,3-4',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes=1--2',
  ]) {
    assert.equal(readByteRange(header, 10), undefined, String(header));
  }
});

test('a range lies within the file, whatever the header says', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^bytes=\d{0,16}-\d{0,16}$/)),
      fc.nat(1000),
      (header, size) => {
        const range = readByteRange(header, size);
        if (range === undefined || range === 'unsatisfiable') return;
        assert.ok(range.from >= 0 && range.from <= range.to && range.to < size);
      },
    ),
  );
});
