import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AutomaticLevel, createAutomaticLevel } from './automatic-level.ts';
import { levelDb } from './level.ts';

const FRAME = 160;
const RATE = 8000;

/**
 * A pitch of 120 Hz with harmonics: four syllables a second with dips of 20 dB, and a pause after five. `db` is the
 * level in the middle of a syllable, 6 dB above that of the loud parts.
 */
function speech(seconds: number, db: number): Int16Array {
  const amplitude = 32_767 * 10 ** (db / 20) * 0.65;
  return Int16Array.from({ length: seconds * RATE }, (_, n) => {
    const at = n / RATE;
    const syllable = Math.max(0.03, Math.sin(2 * Math.PI * 4 * at)) * (at % 1.5 < 1.25 ? 1 : 0.01);
    let wave = 0;
    for (let k = 1; k <= 24; k++) wave += Math.sin(2 * Math.PI * 120 * k * at + k * k) / (1 + k / 4);
    return Math.max(-32_768, Math.min(32_767, Math.round(amplitude * syllable * wave)));
  });
}

function tone(seconds: number, db: number, hz: number): Int16Array {
  const amplitude = 32_767 * Math.SQRT2 * 10 ** (db / 20);
  return Int16Array.from({ length: seconds * RATE }, (_, n) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hz * n) / RATE)),
  );
}

function noise(seconds: number, db: number): Int16Array {
  let state = 1;
  const amplitude = 32_767 * Math.sqrt(3) * 10 ** (db / 20);
  return Int16Array.from({ length: seconds * RATE }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return Math.round(amplitude * ((state / 2_147_483_647) * 2 - 1));
  });
}

function plus(one: Int16Array, other: Int16Array): Int16Array {
  return one.map((sample, n) => sample + other[n]!);
}

/** Passes the samples through a level, frame by frame. */
function adjust(
  level: AutomaticLevel,
  samples: Int16Array,
  { isOwn = true, isRequested = true } = {},
): Int16Array {
  const out = samples.slice();
  for (let at = 0; at + FRAME <= out.length; at += FRAME) {
    level.adjust(out.subarray(at, at + FRAME), isOwn, isRequested);
  }
  return out;
}

function isSame(one: Int16Array, other: Int16Array): boolean {
  return one.every((sample, n) => sample === other[n]);
}

/** The level of the loud parts: the mean of all frames within 12 dB of the loudest. */
function speechDb(samples: Int16Array): number {
  const levels: number[] = [];
  for (let at = 0; at + FRAME <= samples.length; at += FRAME) {
    const db = levelDb(samples.subarray(at, at + FRAME));
    if (Number.isFinite(db)) levels.push(db);
  }
  levels.sort((a, b) => b - a);
  const loud = levels.filter((db) => db > levels[0]! - 12);
  return loud.reduce((sum, db) => sum + db, 0) / loud.length;
}

describe('talkers', () => {
  it('speakers 29 dB apart are heard within 6 dB of each other after ten seconds', () => {
    const heard = [-36, -33, -29, -24, -19, -14, -7].map((db) => {
      const level = createAutomaticLevel();
      adjust(level, speech(12, db));
      return speechDb(adjust(level, speech(3, db)));
    });
    const text = heard.map((db) => db.toFixed(1)).join(', ');
    assert.ok(Math.max(...heard) - Math.min(...heard) < 6, text);
    assert.ok(
      heard.every((db) => Math.abs(db + 22) < 3.5),
      text,
    );
  });

  it('near the target level pass bit for bit', () => {
    const talk = speech(10, -16);
    const level = createAutomaticLevel();
    assert.ok(isSame(adjust(level, talk), talk));
  });

  it('are amplified by 18 dB at most, and by less on a noisy line', () => {
    const clean = createAutomaticLevel();
    adjust(clean, speech(20, -42));
    assert.ok(clean.gainDb <= 18 && clean.gainDb > 12, `${clean.gainDb}`);
    const noisy = createAutomaticLevel();
    adjust(noisy, plus(speech(20, -32), noise(20, -50)));
    assert.ok(noisy.gainDb > 3 && noisy.gainDb < 8, `${noisy.gainDb}`);
  });

  it('are attenuated by 12 dB at most', () => {
    const level = createAutomaticLevel();
    adjust(level, speech(15, -3));
    assert.ok(level.gainDb >= -12 && level.gainDb < -9, `${level.gainDb}`);
  });

  it('an amplified speaker who then shouts is not clipped, and is attenuated within the frame', () => {
    const level = createAutomaticLevel();
    adjust(level, speech(12, -42));
    const before = level.gainDb;
    assert.ok(before > 12);
    const shout = adjust(level, speech(1, -6));
    assert.ok(shout.every((sample) => Math.abs(sample) < 32_700));
    assert.ok(level.gainDb < 2, `${level.gainDb}`);
  });
});

describe('the gain', () => {
  it('does not wrap the loudest samples when it falls from above one to below', () => {
    const level = createAutomaticLevel();
    adjust(level, speech(4, -34));
    assert.ok(level.gainDb > 0.5);
    for (let n = 0; n < 2000; n++) {
      const frame = new Int16Array(FRAME).fill(n % 2 === 0 ? 32_767 : -32_768);
      level.adjust(frame, true, n % 50 < 25);
      assert.ok(frame.every((sample) => (n % 2 === 0 ? sample > 7000 : sample < -7000)));
    }
    const shout = adjust(level, speech(10, -2));
    assert.ok(shout.every((sample, n) => n === 0 || Math.abs(sample - shout[n - 1]!) < 45_000));
  });

  it('is constant through minutes of silence and noise, and changes by 3 dB a second at most', () => {
    const level = createAutomaticLevel();
    const talk = speech(12, -40);
    let before = 0;
    for (let at = 0; at + FRAME <= talk.length; at += FRAME) {
      level.adjust(talk.subarray(at, at + FRAME), true, true);
      assert.ok(Math.abs(level.gainDb - before) <= 0.3);
      before = level.gainDb;
    }
    for (let n = 0; n < 3000; n++) level.adjust(undefined, true, true);
    adjust(level, noise(60, -60));
    assert.equal(level.gainDb, before);
  });

  it('is 0 dB for tones, hum, hiss, single bursts of a tone, and concealed frames', () => {
    const silence = new Int16Array(RATE);
    const bursts = new Int16Array(8 * RATE);
    for (const at of [0, 3, 6]) bursts.set(tone(1, -9, 700), at * RATE);
    const sounds = [
      ...[-50, -40, -30, -18, -6].map((db) => tone(10, db, 440)),
      tone(10, -35, 50),
      ...[-60, -45, -38].map((db) => noise(10, db)),
      bursts,
      silence,
    ];
    for (const [n, sound] of sounds.entries()) {
      assert.ok(isSame(adjust(createAutomaticLevel(), sound), sound), `sound ${n}`);
    }
    const made = speech(10, -40);
    assert.ok(isSame(adjust(createAutomaticLevel(), made, { isOwn: false }), made));
  });

  it('returns to 0 dB without a jump when it is no longer requested, also in silence', () => {
    const level = createAutomaticLevel();
    adjust(level, speech(12, -40));
    assert.ok(level.gainDb > 10);
    const heard = adjust(level, tone(2, -40, 400), { isRequested: false });
    assert.equal(level.gainDb, 0);
    const steepest = (2 * Math.PI * 400 * Math.max(...heard)) / RATE;
    for (let n = 1; n < heard.length; n++) assert.ok(Math.abs(heard[n]! - heard[n - 1]!) <= steepest + 2);
    assert.ok(isSame(heard.subarray(-FRAME), tone(2, -40, 400).subarray(-FRAME)));
  });
});
