import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcmu } from '@jackfield/media';
import { fromLinear, fromMulaw, levelDb, toLinear, toMulaw, tone } from './audio.ts';

test('µ-law equals that of the platform, for every sample and every code', () => {
  const all = Int16Array.from({ length: 65_536 }, (_, index) => index - 32_768);
  const codes = new Uint8Array(all.length);
  pcmu.encode(all, all.length, codes, 0);
  assert.deepEqual(Buffer.from(codes), toMulaw(all));
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const samples = new Int16Array(256);
  pcmu.decode(bytes, 0, 256, samples);
  assert.deepEqual(fromMulaw(bytes), samples);
});

test('samples are little-endian, and half of full scale is 9 dB below a square wave', () => {
  assert.deepEqual([...toLinear(Int16Array.of(1, -2))], [1, 0, 0xfe, 0xff]);
  assert.deepEqual(fromLinear(Buffer.from([1, 0, 0xfe, 0xff])), Int16Array.of(1, -2));
  assert.equal(Math.round(levelDb(tone(440, 1000, 8000))), -9);
  assert.equal(levelDb(new Int16Array(10)), Number.NEGATIVE_INFINITY);
});
