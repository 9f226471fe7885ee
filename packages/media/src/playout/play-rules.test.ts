import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toneLevel } from '../dsp/tone-level.ts';
import { createSamplesPlay, createTonePlay, type Play } from './play.ts';
import { createSounds } from './sounds.ts';

const FRAME = 160;
/** The frames of a play until its end, `most` at most. */
function framesOf(play: Play, most = 1000): Int16Array[] {
  const frames: Int16Array[] = [];
  while (frames.length < most && play.advance()) frames.push(play.frame.slice());
  return frames;
}
const joined = (frames: readonly Int16Array[]): number[] => frames.flatMap((frame) => [...frame]);
const ramp = (count: number): Int16Array => Int16Array.from({ length: count }, (_, n) => n + 100);

describe('the length of a play', () => {
  for (const [samples, frames] of [
    [0, 0],
    [1, 1],
    [159, 1],
    [160, 1],
    [161, 2],
    [1600, 10],
  ] as const) {
    it(`${samples} samples are ${frames} frames, the last one filled with silence`, () => {
      const all = framesOf(createSamplesPlay(1, FRAME, ramp(samples), false));
      assert.equal(all.length, frames);
      assert.deepEqual(joined(all).slice(0, samples), [...ramp(samples)]);
      assert.ok(
        joined(all)
          .slice(samples)
          .every((sample) => sample === 0),
      );
    });
  }

  for (const [durationMs, frames] of [
    [0, 0],
    [20, 1],
    [20.1, 2],
    [500, 25],
  ] as const) {
    it(`a tone of ${durationMs} ms is ${frames} frames`, () => {
      assert.equal(
        framesOf(createTonePlay(1, FRAME, { rate: 8000, frequencyHz: 440, amplitude: 0.5, durationMs }))
          .length,
        frames,
      );
    });
  }
});

describe('a loop', () => {
  for (const size of [1, 7, 159, 160, 161, 400]) {
    it(`of ${size} samples repeats them without a gap in frames of 160`, () => {
      const heard = joined(framesOf(createSamplesPlay(1, FRAME, ramp(size), true), 20));
      heard.forEach((sample, n) => {
        assert.equal(sample, 100 + (n % size), `sample ${n}`);
      });
    });
  }
});

describe('a play that another engine continues', () => {
  for (const loop of [false, true]) {
    it(`${loop ? 'looped' : 'played once'}, goes on from any frame as if it had never moved`, () => {
      const samples = ramp(1234);
      const whole = framesOf(createSamplesPlay(1, FRAME, samples, loop), 20);
      for (const at of [0, 1, 5, 7, 8, 19]) {
        const play = createSamplesPlay(2, FRAME, samples, loop);
        play.seek(at);
        assert.equal(play.frames, at);
        assert.deepEqual(framesOf(play, 20 - at), whole.slice(at), `from frame ${at}`);
      }
    });
  }

  it('beyond its end is over, and an empty loop as well', () => {
    const play = createSamplesPlay(1, FRAME, ramp(300), false);
    play.seek(100);
    assert.equal(play.advance(), false);
    const empty = createSamplesPlay(1, FRAME, new Int16Array(0), true);
    empty.seek(3);
    assert.equal(empty.advance(), false);
  });

  it('a tone that goes on has the rest of its duration', () => {
    const play = createTonePlay(1, FRAME, { rate: 8000, frequencyHz: 440, amplitude: 0.5, durationMs: 100 });
    play.seek(3);
    assert.equal(framesOf(play).length, 2);
  });
});

describe('the edges of a tone', () => {
  const tone = (durationMs: number) =>
    joined(framesOf(createTonePlay(1, FRAME, { rate: 8000, frequencyHz: 1000, amplitude: 1, durationMs })));

  it('rise and fall over 5 ms, so that no step is larger than the tone itself has', () => {
    const samples = [0, ...tone(100), 0];
    const steepest = 32_767 * 2 * Math.sin(Math.PI / 8);
    for (let n = 1; n < samples.length; n++)
      assert.ok(Math.abs(samples[n]! - samples[n - 1]!) <= steepest + 1, `sample ${n}`);
    const peaks = [0, 1, 2, 3, 4, 5].map((ms) =>
      Math.max(...samples.slice(ms * 8, ms * 8 + 9).map(Math.abs)),
    );
    for (let ms = 1; ms < 5; ms++) assert.ok(peaks[ms]! > peaks[ms - 1]!, `${peaks}`);
    assert.ok(peaks[5]! > 32_000);
  });

  it('of a tone shorter than both fades stay below full scale', () => {
    const samples = tone(6);
    assert.ok(Math.max(...samples) < 25_000 && Math.max(...samples) > 10_000);
  });

  it('are both in the tone: the frame after its end is silent', () => {
    assert.ok(
      tone(30)
        .slice(240)
        .every((sample) => sample === 0),
    );
  });
});

describe('the built-in sounds', () => {
  const sounds = createSounds(8000);

  it('a beep is 440 Hz at −12 dB, and nothing else', () => {
    const beep = sounds.beep(1).subarray(200, 3800);
    assert.ok(Math.abs(toneLevel(beep, 8000, 440) + 12) < 0.05);
    for (const hz of [220, 880, 1320]) assert.ok(toneLevel(beep, 8000, hz) < -70, `${hz}`);
  });

  it('the ringing tone is 440 and 480 Hz at −22 dB each for two seconds, then four of silence', () => {
    const ringing = sounds.ringback();
    assert.equal(ringing.length, 48_000);
    for (const hz of [440, 480])
      assert.ok(Math.abs(toneLevel(ringing.subarray(0, 16_000), 8000, hz) + 22) < 0.15, `${hz}`);
    assert.ok(ringing.subarray(16_000).every((sample) => sample === 0));
    assert.ok(ringing.subarray(15_900, 15_990).some((sample) => sample !== 0));
  });

  it('are rendered once and at the rate of the mix', () => {
    assert.equal(sounds.beep(2), sounds.beep(2));
    assert.notEqual(sounds.beep(1), sounds.beep(2));
    assert.equal(sounds.holdMusic(), sounds.holdMusic());
    assert.equal(createSounds(16_000).beep(1).length, 8000);
  });
});
