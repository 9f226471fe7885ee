import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toneLevel } from '../dsp/tone-level.ts';
import { createAudience, mixFor, sumAudience } from './audience.ts';
import { createAudiences, type Listener } from './resolve-audiences.ts';
import type { Source } from './source.ts';

function talker(id: number, value = 0): Source {
  return { id, frame: new Int16Array(160).fill(value), active: value !== 0 };
}

const noConversion = () => assert.fail('all sources have the rate of their listeners');

function listeners(table: readonly (readonly [Source, readonly Source[]])[]): Listener[] {
  return table.map(([self, hears]) => ({ self, hears: new Set(hears), frameSamples: 160 }));
}

test('three talkers share one sum, each minus itself', () => {
  const [a, b, c] = [talker(1, 100), talker(2, 20), talker(3, 3)];
  const audiences = createAudiences(1);
  const seats = audiences.seat(
    listeners([
      [a, [b, c]],
      [b, [a, c]],
      [c, [a, b]],
    ]),
  );
  assert.equal(audiences.size(), 1);
  const heard = seats.map((seat) => {
    sumAudience(seat!.audience, 1);
    const out = new Int16Array(160);
    mixFor(seat!.audience, seat!.own?.frame, out);
    return out[80];
  });
  assert.deepEqual(heard, [23, 103, 120]);
});

test('a silent listener takes the bare sum, and shares it with talkers who hear the same set', () => {
  const [a, b, muted, whisperer] = [talker(1), talker(2), talker(3), talker(4)];
  const audiences = createAudiences(1);
  const seats = audiences.seat(
    listeners([
      [a, [b]],
      [b, [a]],
      [muted, [a, b]],
      [whisperer, [a, b]],
    ]),
  );
  assert.equal(audiences.size(), 1);
  assert.deepEqual(
    seats.map((seat) => seat!.own !== undefined),
    [true, true, false, false],
  );
});

test('a source is in no sum whose listeners may not hear it', () => {
  const [insider, other, whisperer] = [talker(1), talker(2), talker(3)];
  const audiences = createAudiences(1);
  const [insiderSeat, otherSeat, whispererSeat] = audiences.seat(
    listeners([
      [insider, [other, whisperer]],
      [other, [insider]],
      [whisperer, [insider, other]],
    ]),
  );
  assert.equal(otherSeat!.audience.key, '160:1');
  assert.equal(insiderSeat!.audience, whispererSeat!.audience);
});

test('an echo hears itself, a leg that hears nothing has no seat, and returned seats leave no audience', () => {
  const [a, b] = [talker(1), talker(2)];
  const audiences = createAudiences(1);
  const [echo, held] = audiences.seat(
    listeners([
      [a, [a]],
      [b, []],
    ]),
  );
  assert.deepEqual([echo!.audience.key, echo!.own], ['160:1', undefined]);
  assert.equal(held, undefined);
  audiences.leave(echo!);
  assert.equal(audiences.size(), 0);
});

test('one talker passes at unity gain, even at full scale', () => {
  const loud = talker(1, 32767);
  const audience = createAudience([loud, talker(2)], '1,2', 160, 1, noConversion);
  sumAudience(audience, 1);
  const out = new Int16Array(160);
  mixFor(audience, undefined, out);
  assert.deepEqual(out, loud.frame);
});

test('ten loud talkers are lowered together: distortion stays 30 dB below, and unity gain returns afterwards', () => {
  const rate = 8000;
  const tones = Array.from({ length: 10 }, (_, k) => 310 + 90 * k);
  const sources = tones.map((_, k) => talker(k + 1));
  const audience = createAudience(sources, 'x', 160, 1, noConversion);
  const frames = 40;
  const heard = new Int16Array(frames * 160);
  for (let tick = 0; tick < frames; tick++) {
    sources.forEach((source, k) => {
      source.active = true;
      for (let i = 0; i < 160; i++) {
        source.frame[i] = 16000 * Math.sin((2 * Math.PI * tones[k]! * (tick * 160 + i)) / rate);
      }
    });
    sumAudience(audience, tick);
    mixFor(audience, undefined, heard.subarray(tick * 160, tick * 160 + 160));
  }
  const steady = heard.subarray(8 * 160);
  const levels = tones.map((hz) => toneLevel(steady, rate, hz));
  for (const level of levels) assert.ok(level > -32, `a talker fell to ${level}`);
  for (const hz of [1550, 1850, 2500, 3000, 3400]) {
    const above = toneLevel(steady, rate, hz) - Math.max(...levels);
    assert.ok(above < -30, `${hz} Hz: ${above} dB`);
  }
  assert.ok(audience.gain < 0.5);
  for (const source of sources.slice(2)) source.active = false;
  for (let tick = frames; tick < frames + 40; tick++) sumAudience(audience, tick);
  assert.ok(audience.gain > 0.85);
});
