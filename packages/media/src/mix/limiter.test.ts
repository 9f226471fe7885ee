import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Audience, createAudience, mixFor, sumAudience } from './audience.ts';
import type { Source } from './source.ts';

const RATE = 8000;
const FRAME = 160;

/** Talkers with one tone each; an amplitude of 0 is silence. */
function createRoom(tones: readonly number[], amplitudes: number[]) {
  const sources = tones.map((_, k): Source => ({ id: k + 1, frame: new Int16Array(FRAME), active: true }));
  const audience: Audience = createAudience(sources, 'room', FRAME, 1, () => assert.fail('one rate'));
  let tick = 0;
  let ownGain = 1;
  return {
    sources,
    audience,
    amplitudes,
    /** What a silent listener hears, and what the first talker hears. */
    run(frames: number): { all: Int16Array; first: Int16Array } {
      const all = new Int16Array(frames * FRAME);
      const first = new Int16Array(frames * FRAME);
      for (let n = 0; n < frames; n++, tick++) {
        sources.forEach((source, k) => {
          source.active = amplitudes[k]! > 0;
          for (let i = 0; i < FRAME; i++) {
            const at = (tick * FRAME + i) / RATE;
            source.frame[i] = Math.round(amplitudes[k]! * Math.sin(2 * Math.PI * tones[k]! * at + k));
          }
        });
        sumAudience(audience, tick);
        const at = n * FRAME;
        mixFor(audience, undefined, all.subarray(at, at + FRAME));
        const own = sources[0]!.active ? sources[0]!.frame : undefined;
        ownGain = mixFor(audience, own, first.subarray(at, at + FRAME), ownGain);
      }
      return { all, first };
    },
  };
}

/** Power outside the tones, in dB below them; the samples must hold whole periods of each. */
function distortionDb(samples: Int16Array, tones: readonly number[]): number {
  let total = 0;
  for (const sample of samples) total += sample * sample;
  let expected = 0;
  for (const hz of tones) {
    let [cosine, sine] = [0, 0];
    samples.forEach((sample, n) => {
      cosine += sample * Math.cos((2 * Math.PI * hz * n) / RATE);
      sine += sample * Math.sin((2 * Math.PI * hz * n) / RATE);
    });
    expected += (2 * (cosine * cosine + sine * sine)) / samples.length;
  }
  return 10 * Math.log10(Math.max(1e-9, total - expected) / expected);
}

/** From 310 Hz on, at distances of 90 Hz: beats of 11 ms, shorter than a frame. */
const even = Array.from({ length: 10 }, (_, k) => 310 + 90 * k);
/** All distances differ, so the peaks of two frames differ too. */
const uneven = [200, 230, 310, 450, 520, 640, 790, 870, 1010, 1130];

describe('a sum above full scale', () => {
  for (const [name, tones, most] of [
    ['with fast beats', even, -50],
    ['with beats of their own', uneven, -35],
  ] as const) {
    it(`has less than ${most} dB of distortion and no clipping for ten full-scale talkers ${name}`, () => {
      const room = createRoom(
        tones,
        tones.map(() => 32_000),
      );
      const onset = room.run(25);
      const steady = room.run(50);
      for (const heard of [onset.all, onset.first, steady.all, steady.first]) {
        assert.ok(heard.every((sample) => Math.abs(sample) < 32_700));
      }
      const all = distortionDb(steady.all, tones);
      const first = distortionDb(steady.first, tones.slice(1));
      assert.ok(all < most && first < most, `${all.toFixed(1)} and ${first.toFixed(1)} dB`);
    });
  }

  it('changes the gain without a step when a loud talker begins in the middle of a frame', () => {
    const tones = [200, 300, 400];
    const room = createRoom(tones, [15_000, 0, 0]);
    room.run(5);
    room.amplitudes[1] = 15_000;
    room.amplitudes[2] = 15_000;
    const { all } = room.run(1);
    // The largest change of these tones from one sample to the next; in the first sample each adds up to its amplitude.
    const steepest = (2 * Math.PI * 15_000 * (200 + 300 + 400)) / RATE;
    for (let n = 2; n < FRAME; n++) assert.ok(Math.abs(all[n]! - all[n - 1]!) < steepest);
    assert.ok(all.every((sample) => Math.abs(sample) < 32_700));
  });

  it('reaches a talker whose voice the others cancel without clipping', () => {
    const room = createRoom([500, 500, 500], [20_000, 20_000, 20_000]);
    for (let n = 0; n < 30; n++) {
      for (let i = 0; i < FRAME; i++) {
        const wave = Math.sin((2 * Math.PI * 500 * (n * FRAME + i)) / RATE);
        room.sources[0]!.frame[i] = 20_000 * wave;
        room.sources[1]!.frame[i] = -20_000 * wave;
        room.sources[2]!.frame[i] = -20_000 * wave;
      }
      sumAudience(room.audience, n);
      const out = new Int16Array(FRAME);
      mixFor(room.audience, room.sources[0]!.frame, out);
      assert.ok(out.every((sample) => Math.abs(sample) < 32_700));
      if (n > 1) assert.ok(distortionDb(out, [500]) < -50);
    }
  });
});

describe('a sum below full scale', () => {
  it('passes bit for bit', () => {
    const tones = even.slice(0, 5);
    const room = createRoom(
      tones,
      tones.map(() => 5_700),
    );
    for (let n = 0; n < 20; n++) {
      const { all, first } = room.run(1);
      for (let i = 0; i < FRAME; i++) {
        const sum = room.sources.reduce((total, { frame }) => total + frame[i]!, 0);
        assert.equal(all[i], sum);
        assert.equal(first[i], sum - room.sources[0]!.frame[i]!);
      }
    }
  });

  it('returns to unity gain from 0.2 s after the last loud frame, within half a second', () => {
    const room = createRoom([300, 500, 700, 900], [20_000, 20_000, 20_000, 20_000]);
    room.run(10);
    assert.ok(room.audience.gain < 0.45);
    const low = room.audience.gain;
    room.amplitudes.fill(5000);
    room.run(9);
    assert.equal(room.audience.gain, low);
    room.run(16);
    assert.equal(room.audience.gain, 1);
  });

  it('passes at unity gain to a listener of a single voice, who later reaches the gain of the others smoothly', () => {
    const room = createRoom([300, 700, 1100], [30_000, 30_000, 0]);
    const { first } = room.run(10);
    assert.ok(room.audience.gain < 0.6);
    assert.deepEqual(first.subarray(-FRAME), room.sources[1]!.frame);
    room.amplitudes[2] = 10;
    const before = first.at(-1)!;
    const next = room.run(1).first;
    const steepest = (2 * Math.PI * 30_000 * 700) / RATE + 100;
    assert.ok(Math.abs(next[0]! - before) < steepest);
    for (let n = 1; n < FRAME; n++) assert.ok(Math.abs(next[n]! - next[n - 1]!) < steepest);
  });
});
