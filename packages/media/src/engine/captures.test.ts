import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSilent } from '../dsp/level.ts';
import { toneLevel } from '../dsp/tone-level.ts';
import { createEngineRig, type EngineRig, type TonePhone } from './testing/phones.ts';

/** A rig that keeps captures by name, with one array per track. */
function createCaptureRig(phases: number): { rig: EngineRig; tracksOf(name: string): Int16Array[] } {
  const kept = new Map<string, { tracks: number; samples: number[] }>();
  const rig = createEngineRig({
    phases,
    captured(name, tracks, samples) {
      const one = kept.get(name) ?? { tracks, samples: [] };
      kept.set(name, one);
      one.samples.push(...samples);
    },
  });
  return {
    rig,
    tracksOf(name) {
      const { tracks, samples } = kept.get(name)!;
      return Array.from({ length: tracks }, (_, track) =>
        Int16Array.from(samples.filter((_, at) => at % tracks === track)),
      );
    },
  };
}

function connectAll(rig: EngineRig, mix: string, phones: readonly TonePhone[]): void {
  rig.engine.apply({ do: 'open-mix', mix }, rig.nowMs());
  const legs = phones.map(({ leg }) => leg);
  const members = legs.map((leg) => ({ leg, hears: legs.filter((other) => other !== leg) }));
  rig.engine.apply({ do: 'set-hearing', mix, members }, rig.nowMs());
}

function isHeard(samples: Int16Array, hz: number): boolean {
  const level = toneLevel(samples, 8000, hz);
  assert.ok(level > -20 || level < -40, `${hz} Hz at ${level} dB`);
  return level > -20;
}

for (const phases of [1, 8]) {
  test(`a captured track equals what its legs say and what others are sent, bit for bit, with announcements (${phases} phases)`, () => {
    const { rig, tracksOf } = createCaptureRig(phases);
    const [a, b, c] = [rig.phone('a', 400), rig.phone('b', 1000), rig.phone('c', 1900)];
    connectAll(rig, 'm', [a, b, c]);
    rig.run(100);
    const tracks = [
      { said: ['a', 'b'], heard: [] },
      { said: [], heard: ['c'] },
      { said: ['nobody'], heard: ['nobody'] },
    ];
    rig.engine.apply({ do: 'capture', capture: 'r', tracks }, rig.nowMs());
    const from = c.heardCount;
    rig.run(30);
    const sound = { kind: 'tone', frequencyHz: 2800, levelDb: -12 } as const;
    rig.engine.apply({ do: 'play', mix: 'm', key: 'k', to: ['c'], sound, loop: true }, rig.nowMs());
    rig.run(30);
    assert.equal(rig.engine.census().captures, 1);
    rig.engine.apply({ do: 'end-capture', capture: 'r' }, rig.nowMs());
    assert.equal(rig.engine.census().captures, 0);
    const [said, heard, silent] = tracksOf('r') as [Int16Array, Int16Array, Int16Array];
    assert.ok(Math.abs(said.length - 60 * 160) <= 160);
    assert.deepEqual([said.length, heard.length], [silent.length, silent.length]);
    assert.ok(isSilent(silent, silent.length));
    assert.ok(isHeard(said, 400) && isHeard(said, 1000) && !isHeard(said, 1900) && !isHeard(said, 2800));
    assert.ok(isHeard(heard.subarray(-3200), 400) && isHeard(heard.subarray(-3200), 2800));
    // The phone received the same samples through G.711, whose steps are an eighth of 8,192 at most.
    for (let i = 0; i < heard.length; i++) {
      const error = Math.abs(heard[i]! - c.heard[from + i]!);
      assert.ok(error <= 16 + Math.abs(heard[i]!) / 28, `sample ${i} differs by ${error}`);
    }
  });

  test(`a capture of listeners who share one encoding has a track for each (${phases} phases)`, () => {
    const { rig, tracksOf } = createCaptureRig(phases);
    const talker = rig.phone('talker', 1000);
    const crowd = [0, 1, 2].map((k) => rig.phone(`l${k}`, 0));
    const members = crowd.map(({ leg }) => ({ leg, hears: [talker.leg] }));
    rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
    rig.engine.apply(
      { do: 'set-hearing', mix: 'm', members: [{ leg: 'talker', hears: [] }, ...members] },
      rig.nowMs(),
    );
    const tracks = crowd.map(({ leg }) => ({ said: [], heard: [leg] }));
    rig.engine.apply({ do: 'capture', capture: 'r', tracks }, rig.nowMs());
    rig.run(400);
    rig.engine.apply({ do: 'end-capture', capture: 'r' }, rig.nowMs());
    for (const track of tracksOf('r')) {
      assert.ok(Math.abs(track.length - 400 * 160) <= 320);
      const heard = track.subarray(8000);
      let worst = 0;
      for (let i = 8; i < heard.length; i++) worst = Math.max(worst, Math.abs(heard[i]! - heard[i - 8]!));
      assert.ok(worst < 300, `a step of ${worst}: something was lost or repeated`);
      assert.ok(isHeard(heard, 1000));
    }
    assert.ok(rig.engine.counters.shared > 300);
  });

  test(`in a capture, a leg that joins late, holds, presses keys or leaves is silent and delays no other leg (${phases} phases)`, () => {
    const { rig, tracksOf } = createCaptureRig(phases);
    const a = rig.phone('a', 700);
    rig.engine.apply(
      {
        do: 'capture',
        capture: 'r',
        tracks: [
          { said: ['a'], heard: ['b'] },
          { said: ['b'], heard: [] },
        ],
      },
      rig.nowMs(),
    );
    rig.run(50);
    const b = rig.phone('b', 1600);
    connectAll(rig, 'm', [a, b]);
    rig.run(50);
    rig.engine.apply({ do: 'send-digits', leg: 'b', digits: '12' }, rig.nowMs());
    rig.run(50);
    rig.hangUp(b);
    rig.run(50);
    rig.engine.apply({ do: 'end-capture', capture: 'r' }, rig.nowMs());
    const [first, second] = tracksOf('r') as [Int16Array, Int16Array];
    assert.ok(Math.abs(first.length - 200 * 160) <= 480, `${first.length / 160} frames`);
    assert.ok(isSilent(second.subarray(0, 7500), 7500) && isSilent(second.subarray(-7000), 7000));
    assert.ok(isHeard(second.subarray(11_000, 22_000), 1600) && isHeard(first.subarray(-7000), 700));
  });
}

test('ending an unknown capture emits its end, and captures are refused without a receiver', () => {
  const emitted: unknown[] = [];
  const rig = createEngineRig({
    captured: (name, tracks, samples, isLast) => emitted.push([name, tracks, samples.length, isLast]),
  });
  rig.engine.apply({ do: 'end-capture', capture: 'none' }, rig.nowMs());
  assert.deepEqual(emitted, [['none', 0, 0, true]]);
  assert.equal(rig.engine.counters.ignored, 1);
  const deaf = createEngineRig();
  deaf.engine.apply({ do: 'capture', capture: 'c', tracks: [{ said: [], heard: [] }] }, deaf.nowMs());
  assert.deepEqual([deaf.engine.counters.ignored, deaf.engine.census().captures], [1, 0]);
});
