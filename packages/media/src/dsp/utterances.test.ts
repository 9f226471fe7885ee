import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Utterance, Utterances } from './utterances.ts';

const sampleRate = 16_000;

function cut(mostMs = 30_000) {
  const taken: Utterance[] = [];
  const utterances = new Utterances({
    sampleRate,
    silenceMs: 500,
    mostMs,
    leadMs: 300,
    take: (utterance) => taken.push(utterance),
  });
  return { taken, utterances };
}

/** Silence, or a loud sound that varies like a voice. */
function sound(ms: number, amplitude: number): Int16Array {
  return Int16Array.from({ length: (sampleRate * ms) / 1000 }, (_, at) =>
    Math.round(amplitude * Math.sin(at / 7) * Math.sin(at / 900)),
  );
}

test('speech between two silences is one utterance, with the audio just before it', () => {
  const { taken, utterances } = cut();
  for (const each of [sound(1_000, 0), sound(1_000, 8_000), sound(1_000, 0)]) utterances.write(each);
  assert.equal(taken.length, 1);
  const [{ fromMs, toMs, samples }] = taken as [Utterance];
  assert.ok(fromMs >= 680 && fromMs <= 860, `${fromMs}`);
  assert.ok(toMs >= 2_400 && toMs <= 2_700, `${toMs}`);
  assert.equal(samples.length, ((toMs - fromMs) * sampleRate) / 1000);
});

test('silence alone is no utterance, and the end of the audio ends one', () => {
  const { taken, utterances } = cut();
  utterances.write(sound(5_000, 0));
  utterances.end();
  assert.equal(taken.length, 0);
  utterances.write(sound(700, 8_000));
  utterances.end();
  utterances.end();
  assert.equal(taken.length, 1);
});

test('speech that never pauses is cut at the greatest length', () => {
  const { taken, utterances } = cut(2_000);
  utterances.write(sound(400, 0));
  utterances.write(sound(9_000, 8_000));
  utterances.end();
  assert.ok(taken.length >= 4, `${taken.length}`);
  for (const { samples } of taken) assert.ok(samples.length <= (2_300 * sampleRate) / 1000);
});

test('the size of the written pieces does not matter', () => {
  const audio = [sound(500, 0), sound(900, 8_000), sound(900, 0)];
  const whole = cut();
  for (const each of audio) whole.utterances.write(each);
  const pieces = cut();
  for (const each of audio) {
    for (let at = 0; at < each.length; at += 77) pieces.utterances.write(each.subarray(at, at + 77));
  }
  assert.deepEqual(pieces.taken, whole.taken);
});
