import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyedHash } from './keyed-hash.ts';

test('The hash is HalfSipHash-1-3: the vectors of hsiphash in Linux for 32 bits, of the bytes 0, 1, 2, …', () => {
  const vectors = [
    0x5814c896, 0xe7e864ca, 0xbc4b0e30, 0x01539939, 0x7e059ea6, 0x88e3d89b, 0xa0080b65, 0x9d38d9d6,
    0x577999b1, 0xc839caed, 0xe4fa32cf, 0x959246ee,
  ];
  let text = '';
  for (const [length, vector] of vectors.entries()) {
    assert.equal(keyedHash(text, [0x03020100, 0x07060504]) >>> 0, vector, `of ${length} bytes`);
    text += String.fromCharCode(length);
  }
});

test('Another key gives other hashes', () => {
  assert.notEqual(keyedHash('z9hG4bK1', [1, 2]), keyedHash('z9hG4bK1', [1, 3]));
  assert.notEqual(keyedHash('z9hG4bK1', [1, 2]), keyedHash('z9hG4bK1', [4_000_000_000, 2]));
});
