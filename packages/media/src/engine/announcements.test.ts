import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSilent } from '../dsp/level.ts';
import { toneLevel } from '../dsp/tone-level.ts';
import { createEngineRig, type EngineRig, type TonePhone } from './testing/phones.ts';

function hears(rig: EngineRig, phone: TonePhone, hz: number, frames = 10): boolean {
  const level = toneLevel(rig.lastHeard(phone, frames), 8000, hz);
  assert.ok(level > -20 || level < -40, `${phone.leg} hears ${hz} Hz at ${level} dB`);
  return level > -20;
}

function room(phases: number): { rig: EngineRig; phones: [TonePhone, TonePhone, TonePhone] } {
  const rig = createEngineRig({ phases });
  const phones: [TonePhone, TonePhone, TonePhone] = [
    rig.phone('a', 700),
    rig.phone('b', 1300),
    rig.phone('c', 1900),
  ];
  const legs = phones.map(({ leg }) => leg);
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  const members = legs.map((leg) => ({ leg, hears: legs.filter((other) => other !== leg) }));
  rig.engine.apply({ do: 'set-hearing', mix: 'm', members }, rig.nowMs());
  rig.run(150);
  return { rig, phones };
}

const toneOf = (frequencyHz: number, durationMs?: number) =>
  ({ kind: 'tone', frequencyHz, levelDb: -12, ...(durationMs === undefined ? {} : { durationMs }) }) as const;

for (const phases of [1, 8]) {
  test(`a leg with a play alone hears only that play, and other legs hear everything (${phases} phases)`, () => {
    const { rig, phones } = room(phases);
    const [a, b, c] = phones;
    const play = (key: string, to: string[], sound: ReturnType<typeof toneOf>, alone: boolean): void =>
      rig.engine.apply({ do: 'play', mix: 'm', key, to, sound, loop: false, alone }, rig.nowMs());
    play('background', ['a', 'b'], toneOf(2500), false);
    rig.run(20);
    assert.ok(hears(rig, a, 1300) && hears(rig, a, 1900) && hears(rig, a, 2500));
    play('alone', ['a'], toneOf(3100, 400), true);
    const from = a.heardCount;
    rig.run(24);
    const during = a.heard.subarray(from + 320, from + 320 + 2400);
    for (const hz of [700, 1300, 1900, 2500]) assert.ok(toneLevel(during, 8000, hz) < -40, `${hz} Hz`);
    assert.ok(toneLevel(during, 8000, 3100) > -14);
    assert.ok(hears(rig, b, 700) && hears(rig, b, 2500) && !hears(rig, b, 3100) && hears(rig, c, 700));
    rig.run(12);
    assert.ok(hears(rig, a, 1300) && hears(rig, a, 1900) && hears(rig, a, 2500) && !hears(rig, a, 3100));
    assert.deepEqual(rig.notices, [{ type: 'play-ended', mix: 'm', key: 'alone', because: 'finished' }]);
    for (const phone of phones) assert.equal(phone.breaks, 0);
  });

  test(`a sound that a play alone covers goes on in time, and of two plays alone the newer is heard (${phases} phases)`, () => {
    const { rig, phones } = room(phases);
    const [a] = phones;
    const play = (key: string, sound: ReturnType<typeof toneOf>, alone: boolean): void =>
      rig.engine.apply({ do: 'play', mix: 'm', key, to: ['a'], sound, loop: false, alone }, rig.nowMs());
    play('short', toneOf(2500, 500), false);
    play('old', toneOf(3100), true);
    rig.run(10);
    play('new', toneOf(400), true);
    rig.run(15);
    assert.ok(hears(rig, a, 400) && !hears(rig, a, 3100) && !hears(rig, a, 2500) && !hears(rig, a, 1300));
    rig.run(5);
    assert.deepEqual(rig.notices, [{ type: 'play-ended', mix: 'm', key: 'short', because: 'finished' }]);
    rig.engine.apply({ do: 'stop-play', mix: 'm', key: 'new' }, rig.nowMs());
    rig.run(12);
    assert.ok(hears(rig, a, 3100) && !hears(rig, a, 400) && !hears(rig, a, 1300));
    rig.engine.apply({ do: 'stop-play', mix: 'm', key: 'old' }, rig.nowMs());
    rig.run(12);
    assert.ok(hears(rig, a, 1300) && !hears(rig, a, 3100));
  });
}

test('a silent play alone makes its listener hear silence', () => {
  const { rig, phones } = room(1);
  rig.engine.loadClip('nothing', { sampleRate: 8000, samples: new Int16Array(8000) });
  const sound = { kind: 'clip', name: 'nothing' } as const;
  rig.engine.apply(
    { do: 'play', mix: 'm', key: 'k', to: ['a'], sound, loop: true, alone: true },
    rig.nowMs(),
  );
  rig.run(10);
  assert.ok(isSilent(rig.lastHeard(phones[0], 10), 1600));
});

test('a watched leg emits its state, its start of speech and 500 ms without speech; other legs emit nothing', () => {
  const { rig, phones } = room(1);
  const [a, b] = phones;
  a.amplitude = 0;
  rig.run(20);
  const startMs = rig.nowMs();
  const emitted: [number, string, boolean][] = [];
  const run = (frames: number): void => {
    for (let frame = 0; frame < frames; frame++) {
      rig.run(1);
      for (const notice of rig.notices.splice(0)) {
        if (notice.type === 'voice') emitted.push([rig.nowMs() - startMs, notice.leg, notice.speaking]);
      }
    }
  };
  rig.engine.apply({ do: 'watch-voice', leg: 'a', watched: true }, rig.nowMs());
  rig.engine.apply({ do: 'watch-voice', leg: 'nobody', watched: true }, rig.nowMs());
  assert.equal(rig.engine.counters.ignored, 1);
  run(50);
  a.amplitude = 0.25;
  run(50);
  a.amplitude = 0;
  run(50);
  assert.deepEqual(emitted, [
    [100, 'a', false],
    [1060, 'a', true],
    [2500, 'a', false],
  ]);
  rig.engine.apply({ do: 'watch-voice', leg: 'a', watched: false }, rig.nowMs());
  a.amplitude = 0.25;
  run(50);
  assert.equal(emitted.length, 3);
  rig.engine.apply({ do: 'watch-voice', leg: 'a', watched: true }, rig.nowMs());
  run(5);
  assert.deepEqual(emitted[3]!.slice(1), ['a', true]);
  // A phone that stops sending does not speak.
  a.sending = false;
  run(40);
  assert.deepEqual(emitted[4]!.slice(1), ['a', false]);
  assert.equal(b.breaks, 0);
});

test('keys do not count as speech, neither as events nor with their tone', () => {
  const { rig, phones } = room(1);
  const [a] = phones;
  a.amplitude = 0;
  rig.run(20);
  rig.engine.apply({ do: 'watch-voice', leg: 'a', watched: true }, rig.nowMs());
  rig.run(50);
  for (const amplitude of [0, 0.25]) {
    a.amplitude = amplitude;
    for (let packet = 0; packet < 20; packet++) {
      a.sendPayload(101, Uint8Array.of(5, packet >= 17 ? 0x8a : 10, (packet * 160) >> 8, packet * 160));
      rig.run(1);
    }
    a.amplitude = 0;
    rig.run(20);
  }
  assert.deepEqual(
    rig.notices.filter(({ type }) => type === 'voice'),
    [{ type: 'voice', leg: 'a', speaking: false }],
  );
  assert.ok(rig.notices.some(({ type }) => type === 'digit'));
});
