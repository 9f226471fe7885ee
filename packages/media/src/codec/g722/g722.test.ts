import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toneLevel } from '../../dsp/tone-level.ts';
import { G722 } from './g722.ts';

const rate = 16_000;
const sine = (hz: number, amplitude: number, count = rate): Int16Array =>
  Int16Array.from({ length: count }, (_, i) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hz * i) / rate)),
  );

function roundTrip(samples: Int16Array): Int16Array {
  const codec = new G722();
  const bytes = new Uint8Array(samples.length / 2);
  assert.equal(codec.encode(samples, samples.length, bytes, 0), bytes.length);
  const out = new Int16Array(samples.length);
  assert.equal(codec.decode(bytes, 0, bytes.length, out), samples.length);
  return out;
}

/**
 * Signal-to-noise ratio in dB after the filters' delay of 22 samples (G.722 §3.1.1), once the predictor has settled.
 */
function signalToNoise(samples: Int16Array, out: Int16Array): number {
  let signal = 0;
  let noise = 0;
  for (let i = 4000; i < out.length; i++) {
    const sent = samples[i - 22]!;
    signal += sent * sent;
    noise += (out[i]! - sent) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}

describe('G.722 at 64 kbit/s', () => {
  it('passes 50–7000 Hz within ±1 dB (ITU-T G.722 §2.5)', () => {
    for (const hz of [50, 100, 300, 1000, 2000, 3400, 3900, 4100, 5000, 6000, 7000]) {
      const sent = sine(hz, 8000);
      const gain =
        toneLevel(roundTrip(sent).subarray(4000), rate, hz) - toneLevel(sent.subarray(4000), rate, hz);
      assert.ok(Math.abs(gain) < 1, `${hz} Hz passes at ${gain.toFixed(2)} dB`);
    }
  });

  it('keeps a signal clearly above the quantisation noise in both sub-bands, at every level', () => {
    for (const [hz, least] of [
      [300, 30],
      [1000, 30],
      [3000, 28],
      [5000, 11],
      [6500, 11],
    ] as const) {
      for (const amplitude of [20_000, 8000, 1000]) {
        const sent = sine(hz, amplitude);
        const ratio = signalToNoise(sent, roundTrip(sent));
        assert.ok(ratio > least, `${hz} Hz at ${amplitude}: ${ratio.toFixed(1)} dB`);
      }
    }
  });

  it('keeps the sub-bands apart: a tone in one leaves no image in the other', () => {
    for (const [hz, image] of [
      [2500, 5500],
      [5500, 2500],
    ] as const) {
      const out = roundTrip(sine(hz, 8000));
      const level = toneLevel(out.subarray(4000), rate, image) - toneLevel(out.subarray(4000), rate, hz);
      assert.ok(level < -45, `${level.toFixed(1)} dB of ${image} Hz`);
    }
  });

  it('begins with the scales 32 and 8 of the Recommendation', () => {
    const bytes = new Uint8Array(4);
    new G722().encode(new Int16Array(8), 8, bytes, 0);
    // At scale 32 the first decision level above 0 is 150 · 32 / 4096 = 1, the fourth: code 58. 564 · 8 / 4096 = 1: code 3.
    assert.equal(bytes[0], (3 << 6) | 58);
    // The code of a difference of 0 lowers the scale to its minimum; then the code repeats.
    assert.equal(new Set(bytes).size, 1);
  });

  it('adapts decoder and encoder alike: encoding again from a copy of the state gives the same bytes', () => {
    const sent = sine(440, 5000, 3200);
    const whole = new Uint8Array(1600);
    new G722().encode(sent, 3200, whole, 0);
    const inParts = new Uint8Array(1600);
    const codec = new G722();
    for (let at = 0; at < 3200; at += 320) codec.encode(sent.subarray(at), 320, inParts, at / 2);
    assert.deepEqual(inParts, whole);
  });

  it('recovers from transmission errors: a decoder that lost a second is correct again within 200 ms', () => {
    const sent = sine(700, 6000, 2 * rate);
    const bytes = new Uint8Array(rate);
    new G722().encode(sent, sent.length, bytes, 0);
    const whole = new Int16Array(2 * rate);
    new G722().decode(bytes, 0, bytes.length, whole);
    const late = new Int16Array(rate);
    new G722().decode(bytes, rate / 2, rate / 2, late);
    let worst = 0;
    for (let i = 3200; i < rate; i++) worst = Math.max(worst, Math.abs(late[i]! - whole[rate + i]!));
    assert.ok(worst < 300, `differs by ${worst}`);
  });

  it('stays within 16 bits for any bytes and full-scale noise', () => {
    let state = 1;
    const random = (): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state;
    };
    const codec = new G722();
    const out = new Int16Array(640);
    for (let frame = 0; frame < 100; frame++) {
      codec.decode(
        Uint8Array.from({ length: 320 }, () => random() & 0xff),
        0,
        320,
        out,
      );
      const bytes = new Uint8Array(320);
      codec.encode(
        Int16Array.from({ length: 640 }, () => (random() & 1 ? 32767 : -32768)),
        640,
        bytes,
        0,
      );
    }
    assert.equal(codec.decode(new Uint8Array(640), 0, 640, out), 640, 'at most the samples that fit');
  });
});
