import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPeakMeter } from './peak-meter.ts';

/** A portion of 20 ms, in which the samples of each channel alternate between its level and the negative level. */
function portion(levels: readonly number[], sampleRate = 8_000): Int16Array {
  const frames = sampleRate / 50;
  return Int16Array.from({ length: frames * levels.length }, (_, at) => {
    const level = levels[at % levels.length]!;
    return Math.floor(at / levels.length) % 2 === 0 ? level : -level;
  });
}

test('each channel has the least and the greatest sample of each 100 ms', () => {
  const meter = createPeakMeter(2);
  for (let at = 0; at < 10; at++) meter.take(portion(at < 5 ? [32_767, 0] : [0, 16_384]), 8_000);
  const { pairMs, channels } = meter.peaks()!;
  assert.equal(pairMs, 100);
  assert.deepEqual(
    channels.map((pairs) => [...pairs]),
    [
      [-127, 127, 0, 0],
      [0, 0, -64, 64],
    ],
  );
});

test('a rest shorter than a pair counts, and a file without a sample has no peaks', () => {
  const meter = createPeakMeter(1);
  assert.equal(meter.peaks(), undefined);
  meter.take(portion([1_000], 48_000), 48_000);
  assert.deepEqual([...meter.peaks()!.channels[0]!], [-4, 4]);
});

test('at the limit neighbours are joined: the memory of a long recording is bounded, and no peak is lost', () => {
  const meter = createPeakMeter(1);
  const silence = new Int16Array(8_000 / 10);
  const loud = Int16Array.from(silence, (_, at) => (at === 0 ? -32_768 : 0));
  // Forty minutes, with one click in the last second.
  for (let pair = 0; pair < 24_000; pair++) meter.take(pair === 23_995 ? loud : silence, 8_000);
  const { pairMs, channels } = meter.peaks()!;
  assert.equal(pairMs, 200);
  assert.equal(channels[0]!.length, 2 * 12_000);
  const clicks = [...channels[0]!].flatMap((value, at) => (value === 0 ? [] : [[at, value]]));
  assert.deepEqual(clicks, [[2 * Math.floor(23_995 / 2), -127]]);
});
