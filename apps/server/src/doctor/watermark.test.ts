import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWatermark } from './watermark.ts';

const drawn = (sequence: readonly number[]) => {
  let at = 0;
  return () => sequence[at++ % sequence.length]!;
};
const own = createWatermark(drawn([0, 3, 6, 1, 4, 7, 2, 5]));

/** The same samples later, quieter, and without the beginning of the first tones. */
function received(wav: Buffer, { delay = 0, gain = 1, lost = 0 }): Buffer {
  const body = wav.subarray(44 + lost * 2);
  const samples = Buffer.alloc((delay + body.length / 2) * 2);
  for (let at = 0; at * 2 < body.length; at++)
    samples.writeInt16LE(Math.round(body.readInt16LE(at * 2) * gain), (delay + at) * 2);
  return Buffer.concat([wav.subarray(0, 44), samples]);
}

test('A watermark is found where it begins late, is quiet, or lost its beginning', () => {
  for (const change of [{}, { delay: 4_321 }, { gain: 0.1 }, { lost: 5_000 }])
    assert.ok(own.shareIn(received(own.wav, change)) > 0.9, JSON.stringify(change));
});

test('Another watermark, one tone and silence are not taken for it', () => {
  const other = createWatermark(drawn([5, 2, 7, 4, 1, 6, 3, 0, 2]));
  const tone = createWatermark(drawn([2]));
  for (const { wav } of [other, tone]) assert.ok(own.shareIn(wav) < 0.6);
  assert.equal(own.shareIn(received(own.wav, { gain: 0 })), 0);
});
