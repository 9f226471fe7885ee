import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameResampler } from './frame-resampler.ts';
import { toneLevel } from './tone-level.ts';

const frames = [160, 320, 480, 960];

/** A second of a tone at half of full scale, converted frame by frame. */
function convert(from: number, to: number, hz: number): Int16Array {
  const resampler = new FrameResampler(from, to);
  const frame = new Int16Array(from);
  const out = new Int16Array(to * 50);
  for (let n = 0; n < 50; n++) {
    for (let i = 0; i < from; i++) {
      frame[i] = Math.round(16_384 * Math.sin((2 * Math.PI * hz * (n * from + i)) / (from * 50)));
    }
    resampler.convert(frame, out.subarray(n * to, (n + 1) * to));
  }
  return out.subarray(to * 5);
}

test('a frame resampler passes up to 0.84 of the lower Nyquist frequency within 0.1 dB, between all rates', () => {
  for (const from of frames) {
    for (const to of frames.filter((other) => other !== from)) {
      const nyquist = Math.min(from, to) * 25;
      for (const part of [0.05, 0.4, 0.84]) {
        const level = toneLevel(convert(from, to, part * nyquist), to * 50, part * nyquist);
        assert.ok(Math.abs(level + 6.02) < 0.1, `${from} to ${to}: ${part} at ${level.toFixed(2)} dB`);
      }
    }
  }
});

test('a frame resampler attenuates aliases and images by 75 dB above 1.06 of the lower Nyquist frequency', () => {
  for (const [from, to] of [
    [960, 160],
    [320, 160],
    [960, 320],
    [480, 320],
  ] as const) {
    const lower = to * 25;
    for (const part of [1.06, 1.3, 1.9]) {
      const hz = part * lower;
      if (hz >= from * 25) continue;
      const alias = 2 * lower - hz;
      const level = toneLevel(convert(from, to, hz), to * 50, alias) + 6.02;
      assert.ok(
        level < -75,
        `${from} to ${to}: ${hz} Hz comes out at ${alias} Hz with ${level.toFixed(1)} dB`,
      );
    }
  }
  for (const to of [320, 480, 960]) {
    const level = toneLevel(convert(160, to, 3000), to * 50, 5000) + 6.02;
    assert.ok(level < -75, `8 kHz to ${to * 50}: image at ${level.toFixed(1)} dB`);
  }
});

test('a frame resampler delays by half of its filter: 3 ms at 8 kHz, 1.5 ms at 16 kHz', () => {
  for (const [from, to, ms] of [
    [160, 960, 3],
    [960, 160, 3],
    [320, 960, 1.5],
    [320, 160, 3],
  ] as const) {
    const resampler = new FrameResampler(from, to);
    const frame = new Int16Array(from);
    frame[from / 2] = 20_000;
    const out = new Int16Array(to);
    resampler.convert(frame, out);
    const peak = out.indexOf(Math.max(...out));
    assert.ok(Math.abs((peak - to / 2) / (to / 20) - ms) < 0.13, `${from} to ${to}: ${peak}`);
  }
});
