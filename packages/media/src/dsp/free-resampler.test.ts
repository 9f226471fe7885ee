import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFreeResampler } from './free-resampler.ts';
import { toneLevel } from './tone-level.ts';

function convert(from: number, to: number, hz: number, piece: number): Int16Array {
  const input = Int16Array.from({ length: from }, (_, n) =>
    Math.round(16_000 * Math.sin((2 * Math.PI * hz * n) / from)),
  );
  const resampler = createFreeResampler(from, to);
  const out = new Int16Array(to + 1000);
  let written = 0;
  for (let at = 0; at < input.length; at += piece) {
    const count = Math.min(piece, input.length - at);
    const bound = resampler.outputBound(count);
    const got = resampler.process(input, at, count, out, written);
    assert.ok(got <= bound);
    written += got;
  }
  written += resampler.process(
    new Int16Array(resampler.delaySamples),
    0,
    resampler.delaySamples,
    out,
    written,
  );
  return out.slice(0, written);
}

for (const [from, to] of [
  [9001, 8000],
  [8000, 47_999],
  [47_999, 8000],
  [13_337, 24_000],
  [44_100, 16_000],
] as const) {
  test(`${from} Hz becomes ${to} Hz: same duration, unity gain, no images, for any division into pieces`, () => {
    const whole = convert(from, to, 1000, from);
    assert.ok(Math.abs(whole.length - to) <= 2, `${whole.length} samples`);
    assert.deepEqual(convert(from, to, 1000, 77), whole);
    const middle = whole.subarray(to / 10, to - to / 10);
    assert.ok(Math.abs(toneLevel(middle, to, 1000) - 20 * Math.log10(16_000 / 32_768)) < 0.05);
    let error = 0;
    for (let n = 1000; n < to - 1000; n++) {
      const expected = 16_000 * Math.sin((2 * Math.PI * 1000 * n) / to);
      error = Math.max(error, Math.abs(whole[n]! - expected));
    }
    assert.ok(error < 16, `off by ${error}`);
  });
}

test('a free resampler removes frequencies above the band of the lower rate', () => {
  const out = convert(44_100, 8000, 6000, 500);
  assert.ok(toneLevel(out.subarray(500, 7500), 8000, 2000) < -75);
});

test('a free resampler refuses an implausible rate', () => {
  assert.throws(() => createFreeResampler(0, 8000), RangeError);
  assert.throws(() => createFreeResampler(8000, 8000.5), RangeError);
});
