import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FrameResampler } from './frame-resampler.ts';
import { createFreeResampler } from './free-resampler.ts';
import { createResampler, resample } from './resampler.ts';
import { windowedSinc } from './windowed-sinc.ts';

/** The modified Bessel function by its integral, in place of its series. */
function besselI0(x: number): number {
  const steps = 32;
  let sum = 0;
  for (let n = 0; n < steps; n++) sum += Math.exp(x * Math.cos((Math.PI * (n + 0.5)) / steps));
  return sum / steps;
}

/** The filter by its definition: a sinc that cuts at 0.95 of the lower Nyquist frequency, in a Kaiser window with beta 8. */
function filter(x: number, half: number): number {
  if (Math.abs(x) >= half) return 0;
  const sinc = x === 0 ? 1 : Math.sin(Math.PI * 0.95 * x) / (Math.PI * 0.95 * x);
  return (0.95 * sinc * besselI0(8 * Math.sqrt(1 - (x / half) ** 2))) / besselI0(8);
}

/** Output n is the convolution around input position n · from / to, normalised to unity gain at 0 Hz; zeros surround the input. */
function converted(
  input: Int16Array,
  from: number,
  to: number,
  zeroCrossings: number,
  count: number,
): number[] {
  const bandwidth = Math.min(1, to / from);
  const reach = Math.ceil(zeroCrossings / bandwidth);
  return Array.from({ length: count }, (_, n) => {
    const centre = (n * from) / to;
    let [sum, weights] = [0, 0];
    for (let i = Math.floor(centre) - reach + 1; i <= Math.floor(centre) + reach; i++) {
      const weight = filter((i - centre) * bandwidth, zeroCrossings);
      weights += weight;
      sum += weight * (input[i] ?? 0);
    }
    return Math.max(-32_768, Math.min(32_767, sum / weights));
  });
}

const noise = (count: number, most = 20_000): Int16Array => {
  let state = 7;
  return Int16Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.round(((state / 2_147_483_647) * 2 - 1) * most);
  });
};

describe('the filter of all resamplers', () => {
  for (const crossings of [24, 32]) {
    it(`is the windowed sinc of its definition with ${crossings} zero crossings`, () => {
      for (let x = -crossings - 1; x <= crossings + 1; x += 0.173) {
        assert.ok(Math.abs(windowedSinc(x, crossings) - filter(x, crossings)) < 1e-9, `${x}`);
      }
      assert.equal(windowedSinc(0, crossings), 0.95);
      assert.ok(windowedSinc(crossings, crossings) === 0);
      assert.ok(windowedSinc(-crossings - 5, crossings) === 0);
    });
  }
});

describe('a resampler against a convolution without tables', () => {
  for (const [from, to] of [
    [8000, 16_000],
    [16_000, 8000],
    [48_000, 16_000],
    [44_100, 8000],
    [8000, 11_025],
  ] as const) {
    it(`${from} to ${to} Hz: each sample is that of the definition, rounded`, () => {
      const input = noise(160);
      const resampler = createResampler({ from, to });
      const out = new Int16Array(resampler.outputBound(160));
      const count = resampler.process(input, 0, 160, out, 0);
      const expected = converted(input, from, to, 32, count);
      for (let n = 0; n < count; n++)
        assert.ok(Math.abs(out[n]! - expected[n]!) <= 0.5001, `${n}: ${out[n]} ${expected[n]}`);
    });
  }

  it('a free resampler differs from the definition by its interpolation only, less than −75 dB', () => {
    const input = noise(160);
    const resampler = createFreeResampler(9001, 8000);
    const out = new Int16Array(resampler.outputBound(160));
    const count = resampler.process(input, 0, 160, out, 0);
    const expected = converted(input, 9001, 8000, 24, count);
    for (let n = 0; n < count; n++)
      assert.ok(Math.abs(out[n]! - expected[n]!) < 6, `${n}: ${out[n]} ${expected[n]}`);
  });

  it('full-scale square waves saturate instead of wrapping', () => {
    const square = Int16Array.from({ length: 800 }, (_, n) => (n % 40 < 20 ? 32_767 : -32_768));
    for (const [from, to] of [
      [8000, 16_000],
      [16_000, 8000],
      [8000, 9001],
    ] as const) {
      for (const resampler of [createResampler({ from, to }), createFreeResampler(from, to)]) {
        const out = new Int16Array(resampler.outputBound(800));
        const count = resampler.process(square, 0, 800, out, 0);
        let steps = 0;
        // A wrap is a step of nearly the whole range back and forth; a square wave has two steps in 40 samples.
        for (let n = 1; n < count; n++) if (Math.abs(out[n]! - out[n - 1]!) > 50_000) steps++;
        assert.ok(steps <= (2 * 800) / 40, `${from} to ${to}: ${steps}`);
        assert.ok(out.includes(32_767) && out.includes(-32_768));
      }
    }
  });
});

describe('pieces of a stream', () => {
  const rates = fc.constantFrom(8000, 16_000, 22_050, 48_000);
  it('give what the whole gives, between any rates, and no piece exceeds its bound', () => {
    fc.assert(
      fc.property(rates, rates, fc.array(fc.nat(300), { minLength: 1, maxLength: 8 }), (from, to, sizes) => {
        const input = noise(sizes.reduce((sum, size) => sum + size, 0));
        for (const open of [() => createResampler({ from, to }), () => createFreeResampler(from, to)]) {
          const whole = open();
          const expected = new Int16Array(whole.outputBound(input.length));
          const length = whole.process(input, 0, input.length, expected, 0);
          const parts = open();
          const out = new Int16Array(expected.length + 1);
          let [at, written] = [0, 0];
          for (const size of sizes) {
            const count = parts.process(input, at, size, out, written);
            assert.ok(count <= parts.outputBound(size), `${count} of ${size}`);
            at += size;
            written += count;
          }
          assert.equal(written, length);
          assert.deepEqual(out.subarray(0, written), expected.subarray(0, length));
        }
      }),
      { numRuns: 15 },
    );
  });

  it('write from the offset on and leave the rest of the output alone', () => {
    const resampler = createResampler({ from: 8000, to: 16_000 });
    const out = new Int16Array(400).fill(-77);
    const written = resampler.process(noise(150), 30, 100, out, 5);
    assert.ok(written > 100);
    assert.deepEqual([...out.subarray(0, 5)], new Array(5).fill(-77));
    assert.ok(out.subarray(5 + written).every((sample) => sample === -77));
  });

  it('a piece longer than the line enlarges it and keeps what is in it', () => {
    for (const open of [
      () => createResampler({ from: 8000, to: 16_000 }),
      () => createFreeResampler(8000, 16_000),
    ]) {
      const input = noise(6000);
      const [one, two] = [open(), open()];
      const [expected, out] = [new Int16Array(12_100), new Int16Array(12_100)];
      let length = 0;
      for (let at = 0; at < 6000; at += 100) length += one.process(input, at, 100, expected, length);
      let written = two.process(input, 0, 50, out, 0);
      written += two.process(input, 50, 5950, out, written);
      assert.equal(written, length);
      assert.deepEqual(out, expected);
    }
  });
});

describe('a whole clip', () => {
  for (const [samples, from, to, length] of [
    [0, 8000, 16_000, 0],
    [1, 8000, 16_000, 2],
    [3, 16_000, 8000, 2],
    [441, 44_100, 8000, 80],
    [100, 8000, 8000, 100],
  ] as const) {
    it(`of ${samples} samples at ${from} Hz has ${length} at ${to} Hz`, () =>
      assert.equal(resample(noise(samples), from, to).length, length));
  }

  it('at its own rate is a copy, not the clip itself', () => {
    const clip = noise(50);
    const copy = resample(clip, 8000, 8000);
    assert.deepEqual(copy, clip);
    copy[0] = 1234;
    assert.notEqual(clip[0], 1234);
  });

  it('has no gap at its end: the last samples are those of the definition', () => {
    const clip = noise(200);
    const out = resample(clip, 8000, 16_000);
    const expected = converted(clip, 8000, 16_000, 32, 400).slice(360);
    for (let n = 0; n < 40; n++) assert.ok(Math.abs(out[360 + n]! - expected[n]!) <= 0.5001, `${n}`);
  });
});

describe('sample rates', () => {
  for (const [rate, isAllowed] of [
    [4000, true],
    [3999, false],
    [384_000, true],
    [384_001, false],
    [8000.5, false],
    [Number.NaN, false],
    [Number.POSITIVE_INFINITY, false],
  ] as const) {
    it(`${rate} Hz is ${isAllowed ? 'allowed' : 'refused'} on either side`, () => {
      for (const open of [
        () => createResampler({ from: rate, to: 8000, zeroCrossings: 2 }),
        () => createResampler({ from: 8000, to: rate, zeroCrossings: 2 }),
        () => createFreeResampler(rate, 8000),
        () => createFreeResampler(8000, rate),
      ]) {
        if (isAllowed) open();
        else
          assert.throws(open, {
            name: 'RangeError',
            message: /a whole number from 4000 to 384000 is allowed/,
          });
      }
    });
  }
});

describe('a resampler of frames', () => {
  for (const from of [160, 320, 480, 960]) {
    it(`${from * 50} Hz: each frame gives one frame, and silence after sound rings out within one`, () => {
      for (const to of [160, 320, 480, 960]) {
        if (to === from) continue;
        const resampler = new FrameResampler(from, to);
        const out = new Int16Array(to + 2).fill(-5);
        for (let n = 0; n < 3; n++) {
          resampler.convert(noise(from), out);
          assert.deepEqual([out[to], out[to + 1]], [-5, -5], `${to}`);
        }
        resampler.convert(undefined, out);
        assert.ok(
          out.subarray(0, to).some((sample) => Math.abs(sample) > 100),
          'the end of the sound',
        );
        resampler.convert(undefined, out);
        assert.ok(
          out.subarray(0, to).every((sample) => sample === 0),
          'silence',
        );
      }
    });
  }

  it('gives what a resampler gives for the stream behind half a filter of silence', () => {
    const input = noise(3 * 320);
    const frames = new FrameResampler(320, 160);
    const out = new Int16Array(3 * 160);
    for (let n = 0; n < 5; n++)
      frames.convert(input.subarray(n * 320, n * 320 + 320), out.subarray(n * 160, n * 160 + 160));
    // Half a filter at 16 kHz is 48 samples, or 24 at 8 kHz.
    const expected = converted(input, 16_000, 8000, 24, 480 - 24);
    for (let n = 0; n < expected.length; n++)
      assert.ok(Math.abs(out[n + 24]! - expected[n]!) <= 0.5001, `${n}`);
  });
});
