import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSilent } from '../dsp/level.ts';
import { toneLevel } from '../dsp/tone-level.ts';
import { createSamplesPlay, createTonePlay, type Play } from './play.ts';
import { createSounds } from './sounds.ts';

function playAll(play: Play, frames: number): { samples: Int16Array; ended: boolean } {
  const samples = new Int16Array(frames * 160);
  for (let k = 0; k < frames; k++) {
    if (!play.advance()) return { samples: samples.subarray(0, k * 160), ended: true };
    samples.set(play.frame, k * 160);
  }
  return { samples, ended: false };
}

test('beep:1 is 500 ms of 440 Hz, beep:2 two of them 200 ms apart', () => {
  const sounds = createSounds(8000);
  assert.equal(sounds.beep(1).length, 4000);
  const two = sounds.beep(2);
  assert.equal(two.length, 4000 + 1600 + 4000);
  assert.ok(toneLevel(two.subarray(400, 3600), 8000, 440) > -13);
  assert.ok(isSilent(two.subarray(4000, 5600), 1600));
  assert.ok(toneLevel(two.subarray(6000, 9200), 8000, 440) > -13);
});

test('a clip with a partial last frame is filled with silence, then the play ends for good', () => {
  const play = createSamplesPlay(1, 160, new Int16Array(200).fill(500), false);
  const { samples, ended } = playAll(play, 10);
  assert.ok(ended);
  assert.equal(samples.length, 320);
  assert.deepEqual([samples[199], samples[200], samples[319]], [500, 0, 0]);
  assert.equal(play.advance(), false);
  assert.equal(play.active, false);
});

test('a loop joins its end to its start inside a frame; an empty clip ends even when looped', () => {
  const ramp = Int16Array.from({ length: 250 }, (_, i) => 100 + i);
  const { samples, ended } = playAll(createSamplesPlay(1, 160, ramp, true), 20);
  assert.ok(!ended);
  for (let i = 0; i < samples.length; i++) assert.equal(samples[i], 100 + (i % 250));
  assert.ok(playAll(createSamplesPlay(2, 160, new Int16Array(0), true), 3).ended);
});

test('a tone has the requested duration, fades at both edges and is endless without a duration', () => {
  const shape = { rate: 8000, frequencyHz: 1000, amplitude: 0.5 };
  const { samples, ended } = playAll(createTonePlay(1, 160, { ...shape, durationMs: 1010 }), 100);
  assert.ok(ended);
  assert.equal(samples.length, 51 * 160);
  assert.ok(Math.abs(samples[1]!) < 1000 && Math.abs(samples[8079]!) < 1000 && samples[8081] === 0);
  assert.ok(Math.abs(toneLevel(samples.subarray(400, 7600), 8000, 1000) + 6.02) < 0.05);
  assert.ok(!playAll(createTonePlay(2, 160, shape), 1000).ended);
});

test('a silent part of a sound is inactive, so its listeners need no encoding', () => {
  const play = createSamplesPlay(1, 160, createSounds(8000).ringback(), true);
  for (let k = 0; k < 50; k++) play.advance();
  assert.ok(play.active);
  for (let k = 0; k < 100; k++) play.advance();
  assert.ok(!play.active);
});
