import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toneLevel } from '../dsp/tone-level.ts';
import { createEngineRig, type EngineRig, type TonePhone } from './testing/phones.ts';

/** Phones of different loudness talk in syllables, four a second, for this many frames. */
function converse(rig: EngineRig, talkers: readonly (readonly [TonePhone, number])[], frames: number): void {
  for (let frame = 0; frame < frames; frame++) {
    for (const [phone, amplitude] of talkers) {
      phone.amplitude = amplitude * Math.max(0.03, Math.sin((2 * Math.PI * 4 * frame) / 50));
    }
    rig.run(1);
  }
}

function createRoom(names: readonly string[]) {
  const rig = createEngineRig();
  const room = (members: readonly string[]): void => {
    const edges = members.map((leg) => ({ leg, hears: members.filter((other) => other !== leg) }));
    rig.engine.apply({ do: 'set-hearing', mix: 'room', members: edges }, rig.nowMs());
  };
  rig.engine.apply({ do: 'open-mix', mix: 'room' }, rig.nowMs());
  const phones = names.map((name, k) => rig.phone(name, 500 + 400 * k));
  room(names);
  return { rig, phones, room };
}

test('in a room of three, a quiet and a loud talker become equally loud', () => {
  const { rig, phones } = createRoom(['a', 'b', 'c']);
  const [quiet, loud, listener] = phones as [TonePhone, TonePhone, TonePhone];
  listener.frequencyHz = 0;
  const talkers = [
    [quiet, 0.02],
    [loud, 0.8],
  ] as const;
  const differenceDb = (): number => {
    const heard = rig.lastHeard(listener, 50);
    return toneLevel(heard, 8000, 900) - toneLevel(heard, 8000, 500);
  };
  converse(rig, talkers, 60);
  assert.ok(differenceDb() > 25, `${differenceDb().toFixed(1)} dB in the beginning`);
  converse(rig, talkers, 900);
  assert.ok(Math.abs(differenceDb()) < 6, `${differenceDb().toFixed(1)} dB in the end`);
});

test('two members hear each other at their own level, also after a third has left, and are then relayed', () => {
  const { rig, phones, room } = createRoom(['a', 'b', 'c']);
  const [quiet, loud, third] = phones as [TonePhone, TonePhone, TonePhone];
  third.frequencyHz = 0;
  const talkers = [
    [quiet, 0.02],
    [loud, 0.8],
  ] as const;
  converse(rig, talkers, 500);
  const levelled = toneLevel(rig.lastHeard(loud, 50), 8000, 500);
  room(['a', 'b']);
  const { relayed } = rig.engine.counters;
  converse(rig, talkers, 20);
  assert.equal(rig.engine.counters.relayed, relayed);
  converse(rig, talkers, 150);
  assert.ok(rig.engine.counters.relayed > relayed + 50);
  const asIs = toneLevel(rig.lastHeard(loud, 50), 8000, 500);
  assert.ok(levelled - asIs > 6, `${levelled.toFixed(1)} and then ${asIs.toFixed(1)} dB`);
});

test('a constant tone reaches a room at its own level, quiet or loud', () => {
  const { rig, phones } = createRoom(['a', 'b', 'c']);
  const [quiet, loud, listener] = phones as [TonePhone, TonePhone, TonePhone];
  listener.frequencyHz = 0;
  quiet.amplitude = 0.02;
  loud.amplitude = 0.8;
  rig.run(500);
  const heard = rig.lastHeard(listener, 50);
  assert.ok(Math.abs(toneLevel(heard, 8000, 500) - 20 * Math.log10(0.02)) < 0.5);
  assert.ok(Math.abs(toneLevel(heard, 8000, 900) - 20 * Math.log10(0.8)) < 0.5);
});
