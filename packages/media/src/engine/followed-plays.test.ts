import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toneLevel } from '../dsp/tone-level.ts';
import type { MixCommand } from './commands.ts';
import { createEngineRig, type EngineRig } from './testing/phones.ts';

const toneOf = (frequencyHz: number, durationMs: number) =>
  ({ kind: 'tone', frequencyHz, levelDb: -12, durationMs }) as const;

/** A phone that is silent itself and hears what is played. */
function opened(phases: number) {
  const rig = createEngineRig({ phases });
  const phone = rig.phone('a', 700);
  phone.amplitude = 0;
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  rig.run(10);
  return { rig, phone };
}

function play(rig: EngineRig, key: string, hz: number, ms: number, behind?: string): void {
  const command: MixCommand = {
    ...{ do: 'play', mix: 'm', key, to: ['a'], sound: toneOf(hz, ms), loop: false },
    ...(behind === undefined ? {} : { behind }),
  };
  rig.engine.apply(command, rig.nowMs());
}

/** What the phone has heard since, in stretches of 10 ms: the tone of each, or nothing. */
function stretches(heard: Int16Array, tones: readonly number[]): readonly (number | undefined)[] {
  return Array.from({ length: Math.floor(heard.length / 80) }, (_, at) => {
    const part = heard.subarray(at * 80, at * 80 + 80);
    return tones.find((hz) => toneLevel(part, 8000, hz) > -25);
  });
}

const ends = (rig: EngineRig) =>
  rig.notices.flatMap((notice) => (notice.type === 'play-ended' ? `${notice.key} ${notice.because}` : []));

for (const phases of [1, 8]) {
  test(`a play behind another play is heard without a gap, and a play behind that one as well (${phases} phases)`, () => {
    const { rig, phone } = opened(phases);
    const from = phone.heardCount;
    play(rig, '1', 400, 200);
    play(rig, '2', 1000, 200, '1');
    rig.run(12);
    play(rig, '3', 2000, 200, '2');
    assert.deepEqual(ends(rig), ['1 finished']);
    rig.run(30);
    const heard = stretches(phone.heard.subarray(from, phone.heardCount), [400, 1000, 2000]);
    const sound = heard.slice(
      heard.findIndex((hz) => hz !== undefined),
      heard.findLastIndex((hz) => hz !== undefined) + 1,
    );
    assert.deepEqual(sound.length, 60);
    // The edges of a tone are soft.
    for (const [n, hz] of [400, 1000, 2000].entries())
      assert.deepEqual(new Set(sound.slice(20 * n + 1, 20 * n + 19)), new Set([hz]), sound.join());
    assert.deepEqual(ends(rig), ['1 finished', '2 finished', '3 finished']);
    assert.equal(rig.engine.census().plays, 0);
    assert.equal(phone.breaks, 0);
  });
}

test('a play behind a play that has ended begins at once', () => {
  const { rig, phone } = opened(1);
  play(rig, '1', 400, 40);
  rig.run(10);
  const from = phone.heardCount;
  play(rig, '2', 1000, 200, '1');
  rig.run(5);
  assert.ok(stretches(phone.heard.subarray(from, phone.heardCount), [1000]).includes(1000));
});

test('a play that waits is stopped with the play before it, and by itself', () => {
  for (const stopped of ['1', '2']) {
    const { rig } = opened(1);
    play(rig, '1', 400, 100);
    play(rig, '2', 1000, 100, '1');
    assert.equal(rig.engine.census().plays, 2);
    rig.engine.apply({ do: 'stop-play', mix: 'm', key: stopped }, rig.nowMs());
    assert.equal(rig.engine.census().plays, stopped === '1' ? 0 : 1);
    rig.run(20);
    assert.deepEqual(ends(rig), stopped === '1' ? [] : ['1 finished']);
    assert.equal(rig.engine.census().plays, 0);
  }
});

test('of two plays behind the same play the later one is heard', () => {
  const { rig } = opened(1);
  play(rig, '1', 400, 100);
  play(rig, '2', 1000, 100, '1');
  play(rig, '3', 2000, 100, '1');
  rig.run(20);
  assert.deepEqual(ends(rig), ['1 finished', '3 finished']);
});

test('a play that waits ends with the last listener, after the play before it', () => {
  const { rig } = opened(1);
  play(rig, '1', 400, 1_000);
  play(rig, '2', 1000, 1_000, '1');
  rig.run(5);
  rig.engine.closeLeg('a', rig.nowMs());
  assert.deepEqual(ends(rig), ['1 left', '2 left']);
  rig.engine.apply({ do: 'close-mix', mix: 'm' }, rig.nowMs());
  const nothing = { legs: 0, mixes: 0, plays: 0, clips: 0, audiences: 0, captures: 0 };
  assert.deepEqual(rig.engine.census(), nothing);
});
