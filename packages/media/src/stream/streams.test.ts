import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSilent } from '../dsp/level.ts';
import { toneLevel } from '../dsp/tone-level.ts';
import { createEngineRig, type EngineRig, type TonePhone } from '../engine/testing/phones.ts';

function hearEachOther(rig: EngineRig, legs: readonly string[]): void {
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  const members = legs.map((leg) => ({ leg, hears: legs.filter((other) => other !== leg) }));
  rig.engine.apply({ do: 'set-hearing', mix: 'm', members }, rig.nowMs());
}

function isHeard(samples: Int16Array, hz: number, rate = 8000): boolean {
  const level = toneLevel(samples, rate, hz);
  assert.ok(level > -22 || level < -40, `${hz} Hz at ${level} dB`);
  return level > -22;
}

/** Keeps the audio of a tap, one array per track. */
function tap(
  rig: EngineRig,
  sampleRate: number,
  tracks: readonly { said: string[]; heard: string[] }[],
  name = 's',
): { track(index: number): Int16Array; frames(): number } {
  const kept: number[][] = [];
  let frames = 0;
  const taken = rig.engine.streams.tap(name, {
    sampleRate,
    tracks,
    take(samples, count) {
      frames++;
      assert.equal(samples.length, (count * sampleRate) / 50);
      for (let i = 0; i < samples.length; i++) {
        kept[i % count] ??= [];
        kept[i % count]!.push(samples[i]!);
      }
    },
  });
  assert.ok(taken);
  return { track: (index) => Int16Array.from(kept[index]!), frames: () => frames };
}

function tone(hz: number, ms: number, rate = 8000): Int16Array {
  return Int16Array.from({ length: (rate * ms) / 1000 }, (_, n) =>
    Math.round(8000 * Math.sin((2 * Math.PI * hz * n) / rate)),
  );
}

for (const phases of [1, 8]) {
  test(`a tap emits what a leg says and hears, on one clock, at the requested rate (${phases} phases)`, () => {
    const rig = createEngineRig({ phases });
    rig.phone('a', 700);
    rig.phone('b', 1900);
    hearEachOther(rig, ['a', 'b']);
    rig.run(50);
    const both = tap(rig, 16_000, [
      { said: ['a'], heard: [] },
      { said: [], heard: ['a'] },
    ]);
    rig.run(100);
    assert.ok(Math.abs(both.frames() - 100) <= 1, `${both.frames()} frames`);
    const [said, heard] = [both.track(0).subarray(-16_000), both.track(1).subarray(-16_000)];
    assert.ok(isHeard(said, 700, 16_000) && !isHeard(said, 1900, 16_000));
    assert.ok(isHeard(heard, 1900, 16_000) && !isHeard(heard, 700, 16_000));
    rig.engine.streams.endTap('s');
    assert.deepEqual(rig.engine.streams.census(), { taps: 0, streamSources: 0 });
  });

  test(`a tap emits exactly 30,000 frames in ten minutes (${phases} phases)`, () => {
    const rig = createEngineRig({ phases });
    rig.phone('a', 700);
    let frames = 0;
    rig.engine.streams.tap('s', {
      sampleRate: 8000,
      tracks: [{ said: ['a'], heard: [] }],
      take: () => frames++,
    });
    rig.run(30_000);
    assert.ok(Math.abs(frames - 30_000) <= 1, `${frames} frames`);
  });

  test(`a tap of a leg that is not open has a silent track in real time (${phases} phases)`, () => {
    const rig = createEngineRig({ phases });
    const one = tap(rig, 8000, [{ said: ['a'], heard: [] }]);
    rig.run(25);
    const a = rig.phone('a', 700);
    rig.run(50);
    rig.hangUp(a);
    rig.run(25);
    assert.ok(Math.abs(one.frames() - 100) <= 1, `${one.frames()} frames`);
    const track = one.track(0);
    assert.ok(isSilent(track.subarray(0, 3000), 3000) && isSilent(track.subarray(-3000), 3000));
    assert.ok(isHeard(track.subarray(6000, 11_000), 700));
  });

  test(`a tap changes its tracks between two frames without losing one (${phases} phases)`, () => {
    const rig = createEngineRig({ phases });
    rig.phone('a', 700);
    rig.phone('b', 1900);
    rig.run(30);
    const counts: number[] = [];
    const order = (legs: readonly string[]) => ({
      sampleRate: 8000,
      tracks: legs.map((leg) => ({ said: [leg], heard: [] })),
      take: (_samples: Int16Array, count: number) => counts.push(count),
    });
    const { streams } = rig.engine;
    streams.tap('s', order(['a']));
    rig.run(20);
    streams.tap('s', order(['a', 'b']));
    rig.run(20);
    streams.tap('s', order(['b']));
    rig.run(20);
    assert.ok(Math.abs(counts.length - 60) <= 1, `${counts.length} frames`);
    const twos = counts.filter((count) => count === 2).length;
    assert.ok(Math.abs(twos - 20) <= 1, `${twos} frames of two tracks`);
  });

  test(`a stream source is added to what its listeners hear, bit for bit, and reaches no other leg (${phases} phases)`, () => {
    const rig = createEngineRig({ phases });
    const [a, b] = [rig.phone('a', 700), rig.phone('b', 1900)] as [TonePhone, TonePhone];
    hearEachOther(rig, ['a', 'b']);
    rig.run(50);
    const played: string[] = [];
    const streamSource = rig.engine.streams.openStreamSource('s', {
      to: ['a'],
      played: (mark) => played.push(mark),
    })!;
    streamSource.put(tone(2700, 1000), 8000);
    streamSource.mark('end');
    rig.run(45);
    const atA = rig.lastHeard(a, 30);
    assert.ok(isHeard(atA, 2700) && isHeard(atA, 1900) && !isHeard(atA, 700));
    assert.ok(!isHeard(rig.lastHeard(b, 30), 2700));
    assert.deepEqual(played, []);
    rig.run(40);
    assert.deepEqual(played, ['end']);
    assert.ok(!isHeard(rig.lastHeard(a, 10), 2700));
    assert.equal(rig.engine.countLeaks(), 0);
    streamSource.close();
    rig.run(1);
    assert.deepEqual(rig.engine.streams.census(), { taps: 0, streamSources: 0 });
  });

  test(`a leg in no mix hears its stream source; after a clear its next packet is silent (${phases} phases)`, () => {
    const rig = createEngineRig({ phases });
    const a = rig.phone('a', 0);
    rig.run(20);
    const streamSource = rig.engine.streams.openStreamSource('s', { to: ['a'], played: () => {} })!;
    streamSource.put(tone(1000, 5000), 8000);
    rig.run(20);
    assert.ok(isHeard(rig.lastHeard(a, 10), 1000));
    streamSource.clear();
    const before = a.heardCount;
    rig.run(10);
    assert.ok(isSilent(a.heard.subarray(before, a.heardCount), a.heardCount - before));
  });

  test(`a stream source waits for its listeners: connecting or changing them loses no sample (${phases} phases)`, () => {
    const rig = createEngineRig({ phases });
    const played: string[] = [];
    const streamSource = rig.engine.streams.openStreamSource('s', {
      to: ['a'],
      played: (mark) => played.push(mark),
    })!;
    streamSource.put(tone(1000, 400), 8000);
    streamSource.mark('end');
    rig.run(50);
    assert.deepEqual([played, streamSource.queuedMs], [[], 400]);
    const a = rig.phone('a', 0);
    const b = rig.phone('b', 0);
    rig.run(10);
    streamSource.replay(['b']);
    rig.run(20);
    assert.deepEqual(played, ['end']);
    assert.ok(a.heard.subarray(0, a.heardCount).some((sample) => sample > 7000));
    assert.ok(b.heard.subarray(0, b.heardCount).some((sample) => sample > 7000));
  });

  test(`two relayed legs are mixed while a stream taps them or plays to them, without a gap (${phases} phases)`, () => {
    const rig = createEngineRig({ phases });
    const [a, b] = [rig.phone('a', 700), rig.phone('b', 1900)] as [TonePhone, TonePhone];
    hearEachOther(rig, ['a', 'b']);
    rig.run(100);
    const relayed = rig.engine.counters.relayed;
    assert.ok(relayed > 50, 'they are relayed');
    const one = tap(rig, 8000, [{ said: ['a'], heard: [] }]);
    const streamSource = rig.engine.streams.openStreamSource('s', { to: ['a'], played: () => {} })!;
    rig.run(50);
    const mixed = rig.engine.counters.relayed;
    rig.run(50);
    assert.equal(rig.engine.counters.relayed, mixed, 'they are mixed');
    assert.ok(isHeard(one.track(0).subarray(-4000), 700));
    rig.engine.streams.endTap('s');
    streamSource.close();
    rig.run(100);
    assert.ok(rig.engine.counters.relayed > mixed + 50, 'they are relayed again');
    assert.deepEqual([a.breaks, b.breaks], [0, 0]);
    for (const [phone, hz] of [
      [a, 1900],
      [b, 700],
    ] as const) {
      const heard = phone.heard.subarray(8000, phone.heardCount);
      for (let at = 0; at + 800 < heard.length; at += 400) {
        assert.ok(toneLevel(heard.subarray(at, at + 800), 8000, hz) > -14, `a gap after ${at / 8} ms`);
      }
    }
  });

  test(`a virtual leg is a member of a mix without packets: it is heard, and hears the others but not itself (${phases} phases)`, () => {
    const rig = createEngineRig({ phases });
    const [a, b] = [rig.phone('a', 700), rig.phone('b', 1900)] as [TonePhone, TonePhone];
    const played: string[] = [];
    const streamSource = rig.engine.streams.openVirtualLeg('s', {
      leg: 'robot',
      sampleRate: 16_000,
      played: (mark) => played.push(mark),
    })!;
    assert.equal(
      rig.engine.streams.openVirtualLeg('t', { leg: 'robot', sampleRate: 8000, played: () => {} }),
      undefined,
    );
    const hears = tap(rig, 16_000, [{ said: [], heard: ['robot'] }]);
    hearEachOther(rig, ['a', 'b', 'robot']);
    rig.run(30);
    streamSource.put(tone(2700, 1000, 16_000), 16_000);
    streamSource.mark('end');
    rig.run(40);
    assert.ok(isHeard(rig.lastHeard(a, 20), 2700) && isHeard(rig.lastHeard(b, 20), 2700));
    const heard = hears.track(0).subarray(-8000);
    assert.ok(isHeard(heard, 700, 16_000) && isHeard(heard, 1900, 16_000) && !isHeard(heard, 2700, 16_000));
    streamSource.clear();
    rig.run(30);
    assert.ok(!isHeard(rig.lastHeard(a, 10), 2700));
    assert.deepEqual([played, rig.engine.countLeaks()], [[], 0]);
    streamSource.put(tone(2700, 100, 8000), 8000);
    streamSource.mark('again');
    rig.run(20);
    assert.deepEqual(played, ['again']);
    assert.ok(Math.abs(hears.frames() - 120) <= 2);
    streamSource.close();
    streamSource.close();
    rig.run(2);
    assert.equal(rig.engine.census().legs, 2);
    assert.ok(!isHeard(rig.lastHeard(a, 1), 2700));
  });
}

for (const isVirtual of [false, true]) {
  test(`the frame of a tapped leg waits at most 5 ms for its turn (${isVirtual ? 'with a program in its mix' : 'in no mix'})`, () => {
    for (let hurry = 0; hurry < 20; hurry += 3) {
      const rig = createEngineRig({ phases: 8 });
      // Its packets arrive 1 ms after the first of the eight steps, those of the others at later distances.
      const others = Array.from({ length: hurry }, (_, n) => rig.phone(`other ${n}`, 0));
      const a = rig.phone('a', 0);
      const { streams } = rig.engine;
      if (isVirtual) {
        streams.openVirtualLeg('s', { leg: 'robot', sampleRate: 8000, played: () => {} });
        hearEachOther(rig, ['a', 'robot']);
      }
      let loudMs = 0;
      streams.tap('s', {
        sampleRate: 8000,
        tracks: [isVirtual ? { said: [], heard: ['robot'] } : { said: ['a'], heard: [] }],
        take(samples) {
          if (loudMs === 0 && !isSilent(samples, samples.length)) loudMs = rig.nowMs();
        },
      });
      rig.run(400);
      a.frequencyHz = 1000;
      const startMs = rig.nowMs();
      rig.run(10);
      const saidMs = startMs + ((1 + 6 * a.index) % 20);
      const waited = loudMs - saidMs;
      assert.ok(waited >= 0 && waited <= 5, `${waited} ms from packet to tap, with ${others.length} others`);
    }
  });
}

test('keys of watched legs are emitted once per stream, until the watch ends', () => {
  const rig = createEngineRig();
  const a = rig.phone('a', 0);
  const b = rig.phone('b', 0);
  rig.run(5);
  const emitted: string[] = [];
  const watch = (legs: readonly string[]): void =>
    rig.engine.streams.watchKeys('s', legs, (leg, digit, _durationMs, as) =>
      emitted.push(`${leg}${digit}${as === 'info' ? '!' : ''}`),
    );
  const press = (phone: TonePhone, event: number): void => {
    phone.sendPayload(101, Uint8Array.of(event, 0x8a, 3, 0x20));
    rig.run(1);
  };
  watch(['a', 'b']);
  press(a, 1);
  press(b, 2);
  watch(['b']);
  press(a, 3);
  press(b, 4);
  rig.engine.streams.signalKey('b', '9', 100);
  rig.engine.streams.signalKey('a', '9', 100);
  watch([]);
  press(b, 5);
  assert.deepEqual(emitted, ['a1', 'b2', 'b4', 'b9!']);
  assert.equal(rig.engine.streams.pressKeys(['a', 'a'], '7'), 'taken');
  rig.run(10);
  assert.deepEqual(new Set(a.events), new Set([7]));
});

test('keys for several legs are refused for the first phone that cannot take them, and reach the others', () => {
  const rig = createEngineRig();
  const { streams } = rig.engine;
  const a = rig.phone('a', 0);
  const b = rig.phone('b', 0);
  const agreed = {
    address: '192.0.2.1',
    port: 20_000 + 2 * b.index,
    codec: 'PCMU',
    payloadType: 0,
    direction: 'sendrecv',
    ptimeMs: 20,
  } as const;
  rig.engine.connectLeg('b', agreed, rig.nowMs());
  streams.openVirtualLeg('s', { leg: 'program', sampleRate: 8000, played() {} });
  rig.run(5);
  assert.equal(streams.pressKeys(['gone', 'program'], '1'), 'taken');
  assert.equal(streams.pressKeys(['b', 'a'], '1'), 'no-events');
  assert.equal(streams.pressKeys(['a', 'b'], '2'.repeat(400)), 'queue-full');
  assert.equal(streams.pressKeys(['a'], '3'), 'taken');
  rig.run(20);
  assert.deepEqual([new Set(a.events), b.events], [new Set([1, 3]), []]);
});
