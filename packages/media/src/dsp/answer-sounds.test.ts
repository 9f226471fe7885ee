import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAnswerSounds } from './answer-sounds.ts';

/** Sound of this length at the given rate. */
function sampled(ms: number, rate: number, wave: (seconds: number) => number): Int16Array {
  return Int16Array.from({ length: (ms * rate) / 1000 }, (_, n) => Math.round(8000 * wave(n / rate)));
}

const tone = (hz: number) => (seconds: number) => Math.sin(2 * Math.PI * hz * seconds);
const quiet = () => 0;
/** A voice of 120 Hz with harmonics, four syllables a second. */
const voice = (seconds: number) => {
  let wave = 0;
  for (let k = 1; k <= 20; k++) wave += Math.sin(2 * Math.PI * 120 * k * seconds + k * k) / (1 + k / 4);
  return 0.4 * wave * Math.max(0.05, Math.sin(2 * Math.PI * 4 * seconds));
};

/** What is reported of these sounds one after another, with the times in ms. */
function reported(rate: number, ...parts: readonly Int16Array[]): readonly (readonly [string, number])[] {
  const sounds = createAnswerSounds();
  const found: (readonly [string, number])[] = [];
  const frame = rate / 50;
  let at = 0;
  for (const part of parts) {
    for (let from = 0; from + frame <= part.length; from += frame) {
      at += 20;
      const sound = sounds.hear(part.subarray(from, from + frame));
      if (sound !== undefined) found.push([sound, at]);
    }
  }
  return found;
}

for (const rate of [8000, 16_000, 24_000, 48_000]) {
  test(`at ${rate} Hz speech begins and pauses, and a beep is a tone and no speech`, () => {
    const found = reported(
      rate,
      sampled(400, rate, quiet),
      sampled(1_000, rate, voice),
      sampled(500, rate, quiet),
      sampled(300, rate, tone(1000)),
      sampled(400, rate, quiet),
    );
    assert.deepEqual(
      found.map(([sound]) => sound),
      ['voice', 'pause', 'tone', 'beep'],
    );
    const at = Object.fromEntries(found);
    assert.ok(at.voice! <= 500 && at.pause! >= 1_550 && at.pause! <= 1_640, JSON.stringify(at));
    assert.deepEqual([at.tone, at.beep], [2_020, 2_220]);
  });
}

for (const hz of [425, 440, 850, 1000, 1400, 2000]) {
  test(`a beep of ${hz} Hz is found at three levels`, () => {
    for (const level of [1, 0.2, 0.05]) {
      const beep = sampled(200, 8000, (seconds) => level * tone(hz)(seconds));
      const found = reported(8000, sampled(200, 8000, quiet), beep, sampled(200, 8000, quiet));
      assert.deepEqual(found, [
        ['tone', 320],
        ['beep', 420],
      ]);
    }
  });
}

test('a key, two tones at once, is no beep; neither is a tone of four seconds, which only begins', () => {
  const key = sampled(300, 8000, (seconds) => (tone(770)(seconds) + tone(1336)(seconds)) / 2);
  const sounds = reported(8000, key, sampled(400, 8000, quiet)).map(([sound]) => sound);
  assert.ok(!sounds.includes('tone') && !sounds.includes('beep'), sounds.join());
  const dialTone = reported(8000, sampled(4_000, 8000, tone(425)), sampled(400, 8000, quiet));
  assert.deepEqual(dialTone, [['tone', 120]]);
});

for (const [rule, lost, expected] of [
  ['a lost frame neither ends nor begins a beep', 1, ['tone', 'beep']],
  ['four lost frames in a row neither end nor begin a beep', 4, ['tone', 'beep']],
  ['five lost frames in a row end a beep, and another one may follow', 5, ['tone', 'beep', 'tone', 'beep']],
] as const) {
  test(rule, () => {
    const sounds = createAnswerSounds();
    const beep = sampled(160, 8000, tone(1000));
    const found: string[] = [];
    const hear = (frame: Int16Array | undefined): void => {
      const sound = sounds.hear(frame);
      if (sound !== undefined) found.push(sound);
    };
    for (const frames of [beep, undefined, beep, new Int16Array(160)]) {
      if (frames === undefined) for (let frame = 0; frame < lost; frame++) hear(undefined);
      else for (let from = 0; from < frames.length; from += 160) hear(frames.subarray(from, from + 160));
    }
    assert.deepEqual(found, expected);
  });
}

test('a beep of which every other frame is lost goes on', () => {
  const sounds = createAnswerSounds();
  const beep = sampled(800, 8000, tone(1000));
  const found = Array.from({ length: 40 }, (_, n) =>
    sounds.hear(n % 2 === 0 ? beep.subarray(n * 160, n * 160 + 160) : undefined),
  );
  assert.deepEqual(
    found.filter((sound) => sound !== undefined),
    ['tone'],
  );
});
