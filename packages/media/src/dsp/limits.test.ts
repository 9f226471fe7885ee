import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAutomaticLevel } from './automatic-level.ts';
import { renderComfortNoise } from './comfort-noise.ts';
import { renderHoldMusic } from './hold-music.ts';
import { amplitudeOf, isSilent, levelDb } from './level.ts';
import { NoiseGate } from './noise-gate.ts';
import { createOscillator } from './oscillator.ts';
import { bend, CEILING } from './soft-ceiling.ts';
import { toneLevel } from './tone-level.ts';

const sine = (hz: number, amplitude: number, count: number, rate = 8000, phase = 0): Int16Array =>
  Int16Array.from({ length: count }, (_, n) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hz * n) / rate + phase)),
  );
const near = (actual: number, expected: number, tolerance: number, what = ''): void =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what} ${actual}, not ${expected}`);

describe('the soft ceiling', () => {
  it('is 1 dB below full scale', () => near(20 * Math.log10(CEILING / 32_767), -1, 0.0002));

  it('leaves every sample up to the ceiling as it is', () => {
    for (const sample of [0, 1, -1, 12_345, CEILING - 0.5, CEILING, -CEILING])
      assert.equal(bend(sample), sample);
  });

  it('has a slope of one at the ceiling, halves it where half of the decibel is used, and never reaches full scale', () => {
    const room = 32_767 - CEILING;
    near((bend(CEILING + 0.01) - CEILING) / 0.01, 1, 1e-4);
    // x = over / (over + room) of the room: over = room gives one half, over = 3 room three quarters.
    near(bend(CEILING + room), CEILING + room / 2, 1e-9);
    near(bend(CEILING + 3 * room), CEILING + (3 * room) / 4, 1e-9);
    assert.ok(bend(1e9) < 32_767 && bend(1e9) > 32_766.9);
  });

  it('rises with its input and is symmetric', () => {
    let last = bend(-400_000);
    for (let sample = -399_000; sample <= 400_000; sample += 1000) {
      const bent = bend(sample);
      assert.ok(bent >= last, `${sample}`);
      near(bend(-sample), -bent, 1e-9);
      last = bent;
    }
  });
});

describe('levels', () => {
  for (const [what, samples, db] of [
    ['a full-scale square wave is 0 dB', Int16Array.of(32_767, -32_767), 0],
    ['a tenth of it is −20 dB', Int16Array.of(3276, -3277, 3277, -3276), -20],
    ['one step is −90 dB', Int16Array.of(1, -1), -90.31],
    ['an offset counts', new Int16Array(10).fill(3277), -20],
  ] as const) {
    it(what, () => near(levelDb(samples), db, 0.01));
  }

  it('silence and no samples are −∞', () => {
    assert.equal(levelDb(new Int16Array(10)), Number.NEGATIVE_INFINITY);
    assert.equal(levelDb(new Int16Array(0)), Number.NEGATIVE_INFINITY);
  });

  for (const [db, amplitude] of [
    [0, 1],
    [6, 1],
    [-20, 0.1],
    [-6.0206, 0.5],
    [Number.NEGATIVE_INFINITY, 0],
  ] as const) {
    it(`${db} dB is the amplitude ${amplitude}`, () => near(amplitudeOf(db), amplitude, 1e-6));
  }

  for (const [what, samples, count, peak, silent] of [
    ['the quietest step of A-law is silent', Int16Array.of(8, -8), 2, undefined, true],
    ['one above it is not', Int16Array.of(0, 9), 2, undefined, false],
    ['one below it is not', Int16Array.of(0, -9), 2, undefined, false],
    ['samples beyond the count do not matter', Int16Array.of(0, 9), 1, undefined, true],
    ['a given peak is the limit', Int16Array.of(100, -100), 2, 100, true],
    ['one more than a given peak exceeds it', Int16Array.of(100, -101), 2, 100, false],
    ['no samples are silent', new Int16Array(0), 0, undefined, true],
  ] as const) {
    it(`whether a frame is silent: ${what}`, () => assert.equal(isSilent(samples, count, peak), silent));
  }
});

describe('the level of a tone', () => {
  it('is that of the tone at any phase, length and rate', () => {
    for (const [rate, count] of [
      [8000, 160],
      [8000, 4001],
      [48_000, 960],
    ] as const) {
      for (const phase of [0, 0.7, 2, 4.4]) {
        near(
          toneLevel(sine(1000, 16_384, count, rate, phase), rate, 1000),
          -6.02,
          0.05,
          `${count} at ${phase}`,
        );
      }
    }
  });

  it('follows amplitude: half is 6 dB less', () => {
    const [one, half] = [20_000, 10_000].map((amplitude) => toneLevel(sine(700, amplitude, 800), 8000, 700));
    near(one! - half!, 6.02, 0.01);
  });

  it('at two bins from a loud tone is at least 55 dB below it: the Hann window', () => {
    const loud = sine(1000, 30_000, 800);
    for (const hz of [980, 1020, 1100, 500, 3000]) assert.ok(toneLevel(loud, 8000, hz) < -30, `${hz}`);
    for (const hz of [900, 1100, 500, 3000]) assert.ok(toneLevel(loud, 8000, hz) < -60, `${hz}`);
  });

  it('of one sample or none is −∞', () => {
    assert.equal(toneLevel(Int16Array.of(20_000), 8000, 1000), Number.NEGATIVE_INFINITY);
    assert.equal(toneLevel(new Int16Array(0), 8000, 1000), Number.NEGATIVE_INFINITY);
  });
});

describe('an oscillator', () => {
  it('adds to the samples that are there, from the offset on, and nothing beyond the count', () => {
    const into = new Float64Array(6).fill(5);
    createOscillator(8, 1).addTo(into, 2, 3, 0.5);
    const wave = [0, Math.SQRT1_2, 1].map((each) => each * 0.5 * 32_767 + 5);
    for (const [n, expected] of [5, 5, ...wave, 5].entries()) near(into[n]!, expected, 1e-6, `${n}`);
  });

  it('goes on in phase in parts of any length', () => {
    const [whole, parts] = [new Float64Array(100), new Float64Array(100)];
    createOscillator(8000, 333).addTo(whole, 0, 100, 1);
    const oscillator = createOscillator(8000, 333);
    for (let at = 0, size = 1; at < 100; at += size, size = Math.min(size + 3, 100 - at))
      oscillator.addTo(parts, at, size, 1);
    assert.deepEqual(parts, whole);
  });
});

describe('comfort noise (RFC 3389 §3)', () => {
  const frames = renderComfortNoise(50, 160);
  const all = Int16Array.from(frames.flatMap((frame) => [...frame]));

  it('is −65 dBov as a whole, and each frame within 4 dB of it', () => {
    near(levelDb(all), -65, 0.2);
    for (const frame of frames) near(levelDb(frame), -65, 4);
  });

  it('has the requested frames, the same at every call', () => {
    assert.equal(frames.length, 50);
    assert.ok(frames.every((frame) => frame.length === 160));
    assert.deepEqual(renderComfortNoise(50, 160), frames);
    assert.equal(renderComfortNoise(2, 960)[1]!.length, 960);
  });

  it('falls with the frequency as in rooms, and repeats nothing', () => {
    const band = (from: number): number => {
      let power = 0;
      for (let hz = from; hz < from + 400; hz += 20) power += 10 ** (toneLevel(all, 8000, hz) / 10);
      return 10 * Math.log10(power);
    };
    const [low, middle, high] = [200, 1500, 3400].map(band);
    assert.ok(low! > middle! + 2 && middle! > high! + 1, `${low} ${middle} ${high}`);
    for (const [n, frame] of frames.entries()) assert.notDeepEqual(frame, frames[(n + 1) % 50]);
  });

  it('has no offset', () => near(all.reduce((sum, sample) => sum + sample, 0) / all.length, 0, 1));
});

describe('the noise gate', () => {
  const quiet = 1e5;
  /** Gains after blocks of this power and probability. */
  function gains(
    gate: NoiseGate,
    count: number,
    power: number | ((n: number) => number),
    probability: number,
  ): number[] {
    return Array.from({ length: count }, (_, n) =>
      gate.next(typeof power === 'number' ? power : power(n), probability),
    );
  }
  /** A level that changes as syllables do. */
  const varying = (n: number): number => (n % 10 < 5 ? 1e6 : 1e4);

  it('is closed at first, and opens within one block of a sure voice', () => {
    assert.equal(new NoiseGate().next(quiet, 0.4), 0);
    assert.equal(new NoiseGate().next(quiet, 0.97), 1);
    assert.equal(
      new NoiseGate().next(quiet, 0.96),
      1,
      'a likely voice, before the level is known to be steady',
    );
    assert.equal(new NoiseGate().next(quiet, 0.49), 0);
  });

  it('stays open for 20 blocks after a voice, then closes by an eighth a block', () => {
    const gate = new NoiseGate();
    gate.next(varying(0), 1);
    const after = gains(gate, 30, (n) => varying(n + 1), 0);
    assert.deepEqual(after.slice(0, 19), new Array(19).fill(1));
    assert.deepEqual(
      after.slice(19, 28),
      [7, 6, 5, 4, 3, 2, 1, 0, 0].map((eighths) => eighths / 8),
    );
  });

  it('a level that is steady for ten blocks closes it at once, however likely a voice is', () => {
    const gate = new NoiseGate();
    const likely = gains(gate, 12, quiet, 0.9);
    assert.deepEqual(likely.slice(0, 9), new Array(9).fill(1));
    assert.deepEqual(likely.slice(9), [7 / 8, 6 / 8, 5 / 8]);
  });

  it('a sure voice is kept although its level is steady: a held vowel', () => {
    assert.deepEqual(gains(new NoiseGate(), 100, quiet, 0.98), new Array(100).fill(1));
  });

  it('a level that varies by 3 dB within 300 ms is not steady', () => {
    for (const [ratio, closes] of [
      [1.9, true],
      [2.05, false],
    ] as const) {
      const gate = new NoiseGate();
      const last = gains(gate, 40, (n) => (n % 7 === 0 ? quiet * ratio : quiet), 0.6).at(-1)!;
      assert.equal(last < 1, closes, `${ratio}`);
    }
  });

  it('forgets the level of more than 30 blocks ago', () => {
    const gate = new NoiseGate();
    gate.next(1e9, 0.6);
    assert.deepEqual(gains(gate, 29, quiet, 0.6), new Array(29).fill(1));
    assert.equal(gate.next(quiet, 0.6), 7 / 8);
  });
});

describe('the hold music', () => {
  for (const rate of [8000, 16_000] as const) {
    it(`at ${rate} Hz has its eight bars of four beats, a peak of −12 dB and the first chord at its start`, () => {
      const music = renderHoldMusic(rate);
      assert.equal(music.length, Math.round((32 * 60 * rate) / 92));
      near(
        20 * Math.log10(music.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0) / 32_767),
        -12.04,
        0.01,
      );
      const beginning = music.subarray(Math.round(rate * 0.02), Math.round(rate * 0.3));
      // C3 (130.8 Hz) of the chord and E5 (659.3 Hz) of the melody; no G4 (392 Hz) yet.
      assert.ok(toneLevel(beginning, rate, 659.3) > -30 && toneLevel(beginning, rate, 130.8) > -40);
      assert.ok(toneLevel(beginning, rate, 659.3) > toneLevel(beginning, rate, 740) + 15);
    });
  }

  it('has nothing above the telephone band', () => {
    const music = renderHoldMusic(16_000).subarray(0, 64_000);
    for (const hz of [4200, 5500, 7000]) assert.ok(toneLevel(music, 16_000, hz) < -60, `${hz}`);
  });
});

describe('the automatic level with single frames', () => {
  it('changes nothing without speech: the samples of a first loud frame pass', () => {
    const level = createAutomaticLevel();
    const frame = sine(500, 20_000, 160);
    level.adjust(frame, true, true);
    assert.deepEqual(frame, sine(500, 20_000, 160));
    assert.equal(level.gainDb, 0);
  });

  it('silence and frames that are not its own leave the gain where it is', () => {
    const level = createAutomaticLevel();
    for (let n = 0; n < 200; n++) {
      level.adjust(n % 2 === 0 ? undefined : sine(500, 200, 160), n % 2 === 0, true);
    }
    assert.equal(level.gainDb, 0);
  });
});
