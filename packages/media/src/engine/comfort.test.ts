import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSilent, levelDb } from '../dsp/level.ts';
import { toneLevel } from '../dsp/tone-level.ts';
import type { MixCommand } from './commands.ts';
import { createEngineRig, type TonePhone } from './testing/phones.ts';

type Edges = Extract<MixCommand, { do: 'set-hearing' }>['members'];

function createRoom(codecs: readonly ('PCMU' | 'PCMA')[], edges: Edges, captured: number[] = []) {
  const rig = createEngineRig({
    captured: (_name, _tracks, samples) => {
      for (const sample of samples) captured.push(sample);
    },
  });
  const phones = codecs.map((codec, k) => rig.phone('abcd'[k]!, 0, { codec }));
  rig.engine.apply({ do: 'open-mix', mix: 'room' }, rig.nowMs());
  rig.engine.apply({ do: 'set-hearing', mix: 'room', members: edges }, rig.nowMs());
  return { rig, phones };
}

const connectAll = (names: readonly string[]): Edges =>
  names.map((leg) => ({ leg, hears: names.filter((other) => other !== leg) }));

test('telephones in a silent room receive noise at −65 dBov, in both laws, without repetition', () => {
  const { rig, phones } = createRoom(['PCMU', 'PCMA', 'PCMU'], connectAll(['a', 'b', 'c']));
  rig.run(150);
  for (const phone of phones) {
    const heard = rig.lastHeard(phone, 100);
    assert.ok(Math.abs(levelDb(heard) + 65) < 1.5, `${levelDb(heard).toFixed(1)} dBov`);
    for (const hz of [50, 150, 500, 1300, 3000]) assert.ok(toneLevel(heard, 8000, hz) < -75);
    const frames = new Set(Array.from({ length: 100 }, (_, n) => heard.slice(n * 160, n * 160 + 160).join()));
    assert.ok(frames.size > 40, `${frames.size} frames are different`);
    assert.equal(phone.breaks, 0);
  }
});

test('comfort noise ends when a member speaks: no sample of it is added to speech', () => {
  const { rig, phones } = createRoom(['PCMU', 'PCMU', 'PCMU'], connectAll(['a', 'b', 'c']));
  rig.run(20);
  phones[0]!.frequencyHz = 1000;
  rig.run(30);
  // The tone has a period of eight samples, and so has its encoding.
  const heard = rig.lastHeard(phones[1] as TonePhone, 10);
  assert.ok(heard.every((sample, n) => n < 8 || sample === heard[n - 8]));
});

test('a leg without edges receives silence instead of comfort noise, and so does a room of two', () => {
  const alone = createRoom(
    ['PCMU', 'PCMU', 'PCMU'],
    [
      { leg: 'a', hears: ['b'] },
      { leg: 'b', hears: ['a'] },
      { leg: 'c', hears: [] },
    ],
  );
  alone.phones[0]!.frequencyHz = 1000;
  alone.rig.run(50);
  assert.ok(isSilent(alone.rig.lastHeard(alone.phones[2]!, 40), 6400));
  const two = createRoom(['PCMU', 'PCMU'], connectAll(['a', 'b']));
  two.rig.run(50);
  assert.ok(isSilent(two.rig.lastHeard(two.phones[0]!, 40), 6400));
});

test('a recording of what a telephone hears has silence in place of comfort noise', () => {
  const captured: number[] = [];
  const { rig } = createRoom(['PCMU', 'PCMU', 'PCMU'], connectAll(['a', 'b', 'c']), captured);
  rig.engine.apply({ do: 'capture', capture: 'c', tracks: [{ said: [], heard: ['a'] }] }, rig.nowMs());
  rig.run(100);
  assert.ok(captured.length > 8000 && captured.every((sample) => sample === 0));
});
