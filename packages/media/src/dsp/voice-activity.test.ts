import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVoiceActivity, type VoiceActivity } from './voice-activity.ts';

const FRAME = 160;

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16807) % 2147483647;
    return (state / 2147483647) * 2 - 1;
  };
}

const amplitudeOf = (db: number): number => 32767 * 10 ** (db / 20);

/** White noise of this RMS level. */
function noise(ms: number, db: number, seed = 1): Float64Array {
  const random = createRandom(seed);
  return Float64Array.from({ length: ms * 8 }, () => amplitudeOf(db) * Math.sqrt(3) * random());
}

function tone(ms: number, db: number, hz: number): Float64Array {
  return Float64Array.from(
    { length: ms * 8 },
    (_, n) => amplitudeOf(db) * Math.SQRT2 * Math.sin((n * hz * 2 * Math.PI) / 8000),
  );
}

/**
 * Speech-like: a pitch of 120 Hz with harmonics up to 3 kHz, four syllables a second with dips of at least 20 dB. `db`
 * is the level of the syllables.
 */
function speech(ms: number, db: number): Float64Array {
  return Float64Array.from({ length: ms * 8 }, (_, n) => {
    const seconds = n / 8000;
    const syllable = Math.max(0.03, Math.sin(2 * Math.PI * 4 * seconds)) * (seconds % 1.5 < 1.25 ? 1 : 0.01);
    let wave = 0;
    for (let k = 1; k <= 24; k++) wave += Math.sin(2 * Math.PI * 120 * k * seconds + k * k) / (1 + k / 4);
    return amplitudeOf(db) * syllable * wave * 0.65;
  });
}

function add(...signals: Float64Array[]): Float64Array {
  return signals[0]!.map(
    (sample, n) => signals.reduce((sum, signal) => sum + (signal[n] ?? 0), sample) - sample,
  );
}

function concat(...signals: Float64Array[]): Float64Array {
  return Float64Array.from(signals.flatMap((signal) => [...signal]));
}

/** The changes of the result, with their times in ms. */
function changesOf(
  signal: Float64Array,
  detector: VoiceActivity = createVoiceActivity(),
): [number, boolean][] {
  const changes: [number, boolean][] = [];
  let before: boolean | undefined;
  for (let at = 0; at + FRAME <= signal.length; at += FRAME) {
    detector.hear(Int16Array.from(signal.subarray(at, at + FRAME), Math.round));
    const now = detector.isSpeaking;
    if (now !== undefined && now !== before) changes.push([(at + FRAME) / 8, now]);
    before = now;
  }
  return changes;
}

test('the first result comes after 100 ms and is correct', () => {
  assert.deepEqual(changesOf(new Float64Array(8000)), [[100, false]]);
  const [first] = changesOf(speech(1000, -18));
  assert.deepEqual(first, [100, true]);
});

for (const level of [-12, -20, -30, -40]) {
  test(`speech at ${level} dB is detected within 100 ms, held through pauses, and over 500 ms after its end`, () => {
    const floor = noise(8000, Math.min(-58, level - 22));
    const signal = add(floor, concat(new Float64Array(2000 * 8), speech(4000, level)));
    const changes = changesOf(signal);
    assert.deepEqual(
      changes.map(([, speaking]) => speaking),
      [false, true, false],
      JSON.stringify(changes),
    );
    assert.ok(changes[1]![0] <= 2000 + 140 && changes[1]![0] > 2000, `${changes[1]}`);
    const end = changes[2]![0];
    assert.ok(end >= 5700 && end <= 6520, `${end}`);
  });
}

test('noise is not speech: from the start at −40 dB and below, louder after a few seconds', () => {
  for (const level of [-70, -60, -50, -45, -40]) {
    assert.deepEqual(changesOf(noise(10_000, level)), [[100, false]], `${level} dB`);
  }
  const louder = changesOf(concat(noise(3000, -60), noise(10_000, -42, 5)));
  assert.ok(
    louder.length <= 3 && louder.at(-1)![1] === false && louder.at(-1)![0] < 8000,
    JSON.stringify(louder),
  );
});

test('speech and its end are detected in a noisy room', () => {
  const changes = changesOf(add(noise(9000, -42), concat(new Float64Array(3000 * 8), speech(3000, -18))));
  assert.deepEqual(
    changes.map(([, speaking]) => speaking),
    [false, true, false],
    JSON.stringify(changes),
  );
  assert.ok(changes[1]![0] <= 3140 && changes[2]![0] <= 6520);
});

test('a quiet steady tone, such as the hum of a line, is noise, and a loud one is speech', () => {
  for (const level of [-60, -50, -42]) {
    assert.equal(changesOf(tone(10_000, level, 50)).at(-1)![1], false, `${level} dB`);
  }
  assert.deepEqual(changesOf(tone(20_000, -20, 440)), [[100, true]]);
});

test('a click is not speech, and an offset of the line is silence', () => {
  const click = new Float64Array(8000 * 3);
  for (let n = 0; n < 40; n++) click[12_000 + n] = 20_000;
  assert.deepEqual(changesOf(click), [[100, false]]);
  assert.deepEqual(changesOf(new Float64Array(16_000).fill(3000)), [[100, false]]);
});

test('concealed frames and key tones neither begin nor prolong speech, and do not change the noise estimate', () => {
  const detector = createVoiceActivity();
  for (let n = 0; n < 50; n++) detector.hear(undefined);
  assert.equal(detector.isSpeaking, false);
  changesOf(speech(1000, -20), detector);
  assert.equal(detector.isSpeaking, true);
  for (let n = 0; n < 26; n++) detector.hear(undefined);
  assert.equal(detector.isSpeaking, false);
});
