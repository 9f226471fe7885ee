import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { pcmu } from '../g711.ts';
import { G722 } from './g722.ts';
import { ReferenceG722 } from './testing/reference-g722.ts';

function encoded(codec: G722, samples: Int16Array): number[] {
  const out = new Uint8Array(samples.length >> 1);
  codec.encode(samples, samples.length, out, 0);
  return [...out];
}

function decoded(codec: G722, codes: ArrayLike<number>): number[] {
  const out = new Int16Array(2 * codes.length);
  codec.decode(Uint8Array.from(codes), 0, codes.length, out);
  return [...out];
}

const tone = (hz: number, amplitude: number, count = 1600): Int16Array =>
  Int16Array.from({ length: count }, (_, n) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hz * n) / 16_000)),
  );
const repeated = (count: number, ...values: number[]): Int16Array =>
  Int16Array.from({ length: count }, (_, n) => values[n % values.length]!);

/** Signals that drive the scales, the predictors and the limits of the quantisers to their ends. */
const signals: readonly (readonly [string, Int16Array])[] = [
  ['silence', new Int16Array(400)],
  ['one click', Int16Array.from({ length: 400 }, (_, n) => (n === 20 ? 32_767 : 0))],
  ['a step to full scale', Int16Array.from({ length: 800 }, (_, n) => (n < 100 ? 0 : 32_767))],
  ['a step to negative full scale', Int16Array.from({ length: 800 }, (_, n) => (n < 100 ? 0 : -32_768))],
  ['full scale at the Nyquist frequency', repeated(800, 32_767, -32_768)],
  ['full scale at a quarter of the rate', repeated(800, 32_767, 32_767, -32_768, -32_768)],
  ['a square wave of 500 Hz', repeated(800, ...new Array(16).fill(30_000), ...new Array(16).fill(-30_000))],
  ['a whisper of one step', repeated(800, 1, 0, -1, 0)],
  ['a constant offset', repeated(800, 700)],
  ['a tone in the lower band', tone(700, 9000)],
  ['a tone in the higher band', tone(6100, 9000)],
  ['a tone at the seam of the bands', tone(4000, 20_000)],
  ['a tone that is clipped', tone(1000, 60_000).map((each) => each)],
];

describe('G.722 against the blocks of the Recommendation (§6.2), bit for bit', () => {
  for (const [name, samples] of signals) {
    it(`encodes and decodes ${name}`, () => {
      const [codec, reference] = [new G722(), new ReferenceG722()];
      const codes = encoded(codec, samples);
      assert.deepEqual(codes, reference.encode(samples));
      assert.deepEqual(decoded(codec, codes), reference.decode(codes));
    });
  }

  const loud = fc.integer({ min: -32_768, max: 32_767 });
  const level = fc.constantFrom(1, 8, 64, 700, 8000, 32_767);
  it('encodes noise of changing loudness', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(level, fc.array(loud, { minLength: 2, maxLength: 60 })), { maxLength: 8 }),
        (parts) => {
          const samples = Int16Array.from(
            parts.flatMap(([most, noise]) => noise.map((each) => (each * most) >> 15)),
          );
          const even = samples.subarray(0, samples.length & ~1);
          assert.deepEqual(encoded(new G722(), even), new ReferenceG722().encode(even));
        },
      ),
    );
  });

  it('decodes any bytes, also codes that no encoder sends', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (codes) => {
        assert.deepEqual(decoded(new G722(), codes), new ReferenceG722().decode(codes));
      }),
    );
  });

  it('decodes each of the 256 codes at each scale, from the least to the greatest', () => {
    const codes: number[] = [];
    // Codes of great differences raise the scale, those of small ones lower it.
    for (let code = 0; code < 256; code++)
      codes.push(...new Array(1 + (code % 7)).fill(code), code ^ 0xff, 0x04, 0x20);
    for (let code = 255; code >= 0; code--) codes.push(code, ...new Array(code % 5).fill(0xfa));
    assert.deepEqual(decoded(new G722(), codes), new ReferenceG722().decode(codes));
  });
});

describe('a G.722 codec', () => {
  it('gives the same bytes and samples in parts as in one piece: all of its state is kept', () => {
    const samples = tone(900, 12_000, 640);
    const codec = new G722();
    const reference = new ReferenceG722();
    for (const [from, to] of [
      [0, 2],
      [2, 100],
      [100, 101 + 1],
      [102, 640],
    ] as const) {
      const part = samples.subarray(from, to);
      const codes = encoded(codec, part);
      assert.deepEqual(codes, reference.encode(part));
      assert.deepEqual(decoded(codec, codes), reference.decode(codes));
    }
  });

  it('encodes half of its samples, rounded down, at the offset of the output', () => {
    const out = new Uint8Array(6).fill(1);
    assert.equal(new G722().encode(new Int16Array(5), 5, out, 2), 2);
    assert.deepEqual([...out], [1, 1, 0xfa, 0xfa, 1, 1]);
  });

  it('decodes from and to offsets, and leaves a last single sample of the output alone', () => {
    const out = new Int16Array(6).fill(77);
    assert.equal(new G722().decode(Uint8Array.of(9, 9, 0xfa, 0xfa, 0xfa), 2, 3, out, 1), 4);
    assert.deepEqual([out[0], out[5]], [77, 77]);
  });

  it('has the clock of RFC 3551 §4.5.2 and frames of 20 ms', () => {
    const { name, clockRate, sampleRate, frameSamples, frameBytes, remembers } = new G722();
    assert.deepEqual(
      [name, clockRate, sampleRate, frameSamples, frameBytes, remembers],
      ['G722', 8000, 16_000, 320, 160, true],
    );
    assert.equal(new G722().samplesIn(160), 320);
  });

  it('that continues from another encodes the stream that the other has decoded', () => {
    const talk = tone(500, 8000, 640);
    const [sender, relayed, next] = [new G722(), new G722(), new G722()];
    const listener = new ReferenceG722();
    const before = encoded(sender, talk);
    decoded(relayed, before);
    listener.decode(before);
    next.continueFrom(relayed);
    // Its adaptation is that of the listener's decoder, so the next audio is decoded without a step.
    const after = encoded(next, tone(500, 8000, 640));
    const heard = listener.decode(after);
    const sent = tone(500, 8000, 640);
    for (let n = 60; n < 640; n++) assert.ok(Math.abs(heard[n]! - sent[n - 22]!) < 600, `sample ${n}`);
  });

  it('that continues from a new one begins anew, once its filter is silent', () => {
    const codec = new G722();
    encoded(codec, tone(1200, 6000, 320));
    encoded(codec, new Int16Array(24));
    codec.continueFrom(new G722());
    assert.deepEqual(encoded(codec, tone(900, 7000, 160)), new ReferenceG722().encode(tone(900, 7000, 160)));
  });

  it('continues from no codec of another kind', () => {
    const codec = new G722();
    codec.continueFrom(pcmu);
    assert.deepEqual(encoded(codec, tone(800, 5000, 160)), new ReferenceG722().encode(tone(800, 5000, 160)));
  });
});
