import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderHoldMusic } from './hold-music.ts';
import { isSilent, levelDb } from './level.ts';
import { createOscillator } from './oscillator.ts';
import { createResampler, resample } from './resampler.ts';
import { toneLevel } from './tone-level.ts';

function sine(rate: number, hz: number, count: number, amplitude = 0.5): Int16Array {
  return Int16Array.from({ length: count }, (_, n) =>
    Math.round(amplitude * 32767 * Math.sin((2 * Math.PI * hz * n) / rate)),
  );
}

test('toneLevel reads a sine of half amplitude as −6 dB and an absent frequency as below −60 dB', () => {
  const samples = sine(8000, 1000, 800);
  assert.ok(Math.abs(toneLevel(samples, 8000, 1000) + 6.02) < 0.05);
  assert.ok(toneLevel(samples, 8000, 1300) < -60);
  assert.equal(toneLevel(new Int16Array(160), 8000, 1000), Number.NEGATIVE_INFINITY);
});

test('an oscillator keeps its phase over calls and its amplitude over an hour of samples', () => {
  const oscillator = createOscillator(8000, 1004);
  const frame = new Float64Array(160);
  for (let k = 0; k < 8000 * 36; k += 160) {
    frame.fill(0);
    oscillator.addTo(frame, 0, 160, 0.5);
    if (k % 16000 === 0) {
      const expected = 0.5 * 32767 * Math.sin((2 * Math.PI * 1004 * (k + 7)) / 8000);
      assert.ok(Math.abs(frame[7]! - expected) < 0.01);
    }
  }
});

test('a frame is silent when it is inaudible even in A-law', () => {
  assert.ok(isSilent(new Int16Array(160).fill(-8), 160));
  assert.ok(!isSilent(new Int16Array(160).fill(9, 159), 160));
  assert.ok(Math.abs(levelDb(sine(8000, 1000, 8000, 1)) + 3.01) < 0.01);
});

for (const [from, to] of [
  [22050, 8000],
  [44100, 8000],
  [48000, 8000],
  [8000, 16000],
  [16000, 24000],
  [8000, 48000],
  [44101, 8000],
] as const) {
  test(`resampling ${from} → ${to} Hz keeps the pass band within 0.1 dB and its delay at zero`, () => {
    const top = 0.435 * Math.min(from, to);
    for (const hz of [300, 1000, top]) {
      const out = resample(sine(from, hz, from), from, to);
      assert.equal(out.length, to);
      const middle = out.subarray(to / 4, (to * 3) / 4);
      assert.ok(Math.abs(toneLevel(middle, to, hz) + 6.02) < 0.1, `${hz} Hz: ${toneLevel(middle, to, hz)}`);
      // In phase with the tone sampled at the new rate.
      const expected = sine(to, hz, to);
      for (let n = to / 2; n < to / 2 + 50; n++) assert.ok(Math.abs(out[n]! - expected[n]!) < 200);
    }
  });
}

test('resampling to a lower rate attenuates aliases by 60 dB', () => {
  for (const hz of [4200, 5000, 7000, 11000, 20000]) {
    const out = resample(sine(48000, hz, 48000, 0.9), 48000, 8000);
    assert.ok(
      levelDb(out.subarray(1000, 7000)) < -60,
      `${hz} Hz leaves ${levelDb(out.subarray(1000, 7000))} dB`,
    );
  }
});

test('a stream resampled in odd pieces equals the clip resampled in one', () => {
  const input = sine(22050, 700, 5000);
  const whole = createResampler({ from: 22050, to: 8000 });
  const expected = new Int16Array(whole.outputBound(5000));
  const length = whole.process(input, 0, 5000, expected, 0);
  const pieces = createResampler({ from: 22050, to: 8000 });
  const out = new Int16Array(5000);
  let written = 0;
  for (let at = 0, size = 1; at < 5000; at += size, size = (size * 7 + 3) % 531) {
    size = Math.min(Math.max(1, size), 5000 - at);
    const before = written;
    written += pieces.process(input, at, size, out, written);
    assert.ok(written - before <= pieces.outputBound(size));
  }
  assert.equal(written, length);
  assert.deepEqual(out.subarray(0, written), expected.subarray(0, length));
});

test('a resampler refuses invalid rates', () => {
  for (const from of [0, -8000, 8000.5, Number.NaN, 1e9]) {
    assert.throws(() => createResampler({ from, to: 8000 }), RangeError);
  }
});

test('the hold music is audible, keeps its headroom and loops without a step', () => {
  const music = renderHoldMusic(8000);
  assert.ok(music.length > 15 * 8000 && music.length < 30 * 8000);
  assert.ok(isSilent(music, music.length, 8192) && !isSilent(music, music.length, 8000));
  for (let second = 0; (second + 1) * 8000 < music.length; second++) {
    assert.ok(
      levelDb(music.subarray(second * 8000, (second + 1) * 8000)) > -40,
      `second ${second} is silent`,
    );
  }
  let steepest = 0;
  for (let n = 1; n < music.length; n++) steepest = Math.max(steepest, Math.abs(music[n]! - music[n - 1]!));
  assert.ok(Math.abs(music[0]! - music[music.length - 1]!) <= steepest);
});
