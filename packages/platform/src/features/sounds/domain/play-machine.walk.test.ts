import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newPlay, type Play, type PlayEffect, type PlayInput } from './play.ts';
import { playMachine } from './play-machine.ts';
import type { PlayItem, PlayOrder } from './play-order.ts';

const loop = fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined });
const withLoop = (item: PlayItem, often: number | undefined): PlayItem =>
  often === undefined || item.kind === 'silence' ? item : { ...item, loop: often };
const items: fc.Arbitrary<PlayItem> = fc.oneof(
  loop.map((often) => withLoop({ kind: 'file', url: 'https://x.example/a' }, often)),
  loop.map((often) => withLoop({ kind: 'speech', text: 'a', language: 'en', voice: 'man' }, often)),
  loop.map((often) => withLoop({ kind: 'built-in', sound: { kind: 'beep', count: 2 } }, often)),
  fc.constantFrom(0, 1, 5_000).map((durationMs): PlayItem => ({ kind: 'silence', durationMs })),
);
const orders = fc.record({
  items: fc.array(items, { maxLength: 5 }),
  loop: fc.integer({ min: 0, max: 3 }),
  alone: fc.boolean(),
  lengthMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
});
/** The next input: an outcome of a running load or sound, chosen by its number, or an input of no running one. */
const events = fc.tuple(
  fc.constantFrom(
    'loaded',
    'failed',
    'ended',
    'next-refused',
    'broke-off',
    'timer',
    'stray',
    'rarely-left',
    'rarely-gone',
    'rarely-stopped',
  ),
  fc.nat(20),
  fc.nat(3_000),
);

interface Rig {
  play: Play;
  now: number;
  overs: number;
  begun: number;
  mix: 'none' | 'open' | 'closed';
  readonly loads: Map<number, 'loading' | 'loaded'>;
  sound: number | undefined;
  /** It waits for the end of `sound`. */
  next: number | undefined;
  readonly timers: Map<string, number>;
  isWatched: boolean;
}

function carryOut(rig: Rig, effect: PlayEffect): void {
  switch (effect.do) {
    case 'open-mix':
      assert.equal(rig.mix, 'none');
      rig.mix = 'open';
      return;
    case 'close-mix':
      assert.equal(rig.mix, 'open');
      rig.mix = 'closed';
      return;
    case 'watch-listeners':
      assert.equal(rig.mix, 'open');
      rig.isWatched = true;
      return;
    case 'load':
      assert.ok(!rig.loads.has(effect.load), 'a load has a number of its own');
      rig.loads.set(effect.load, 'loading');
      assert.ok(rig.loads.size <= 3, 'no more than one ahead');
      return;
    case 'unload':
      assert.ok(rig.loads.delete(effect.load), `load ${effect.load} is given back once`);
      assert.ok(rig.loads.size <= 2);
      return;
    case 'sound':
      assert.equal(rig.mix, 'open');
      if (effect.sound.kind === 'clip') assert.equal(rig.loads.get(Number(effect.sound.name)), 'loaded');
      assert.equal(effect.behind, rig.sound, 'one after another');
      if (effect.behind === undefined) {
        rig.sound = effect.number;
        return;
      }
      assert.equal(rig.next, undefined, 'no more than one ahead');
      rig.next = effect.number;
      return;
    case 'stop-sound':
      assert.equal(effect.number, rig.sound);
      rig.sound = undefined;
      rig.next = undefined;
      return;
    case 'start-timer':
      rig.timers.set(effect.key, effect.at);
      return;
    case 'notify':
      if (effect.notice.type === 'play-over') rig.overs++;
      else rig.begun++;
  }
}

function send(rig: Rig, input: PlayInput): void {
  const { state, effects } = playMachine.step(rig.play, input, rig.now);
  assert.ok(effects.length < 20);
  rig.play = state;
  for (const effect of effects) carryOut(rig, effect);
  assert.equal(rig.overs, state.phase === 'over' ? 1 : 0);
  if (state.phase !== 'over') return;
  assert.equal(rig.mix, 'closed');
  assert.equal(rig.loads.size, 0, 'nothing is left loaded');
  assert.deepEqual([rig.sound, rig.next], [undefined, undefined], 'nothing is left sounding');
}

function happen(rig: Rig, [what, choice, ms]: [string, number, number]) {
  const loading = [...rig.loads].filter(([, is]) => is === 'loading').map(([load]) => load);
  const load = loading[choice % Math.max(1, loading.length)];
  switch (what) {
    case 'loaded':
      if (load === undefined) return;
      rig.loads.set(load, 'loaded');
      return send(rig, {
        type: 'item-loaded',
        load,
        sound: { kind: 'clip', name: `${load}` },
      });
    case 'failed':
      if (load === undefined) return;
      rig.loads.delete(load);
      return send(rig, { type: 'item-failed', load, code: 'silent', sentence: 'no' });
    case 'ended': {
      if (rig.sound === undefined) return;
      const sound = rig.sound;
      rig.sound = rig.next;
      rig.next = undefined;
      rig.now += ms;
      return send(rig, { type: 'sound-ended', sound, because: 'finished' });
    }
    case 'next-refused': {
      if (rig.next === undefined) return;
      const sound = rig.next;
      rig.next = undefined;
      return send(rig, { type: 'sound-ended', sound, because: 'refused' });
    }
    case 'rarely-left': {
      if (rig.sound === undefined || choice > 1) return;
      const sound = rig.sound;
      rig.sound = undefined;
      rig.next = undefined;
      return send(rig, { type: 'sound-ended', sound, because: choice === 0 ? 'left' : 'refused' });
    }
    case 'timer': {
      const at = rig.timers.get('length');
      if (at === undefined) return;
      rig.timers.delete('length');
      rig.now = Math.max(rig.now, at);
      return send(rig, { type: 'timer-fired', key: 'length' });
    }
    case 'broke-off': {
      const loaded = [...rig.loads].filter(([, is]) => is === 'loaded').map(([each]) => each);
      if (loaded.length === 0) return;
      const broken = loaded[choice % loaded.length]!;
      return send(rig, { type: 'item-broke-off', load: broken, code: 'speech-broke-off', sentence: 'no' });
    }
    case 'stray':
      send(rig, { type: 'sound-ended', sound: 10_000 + choice, because: 'finished' });
      return send(rig, { type: 'item-failed', load: 10_000 + choice, code: 'silent', sentence: 'no' });
    case 'rarely-gone':
      if (choice === 1 && rig.isWatched) send(rig, { type: 'listeners-gone' });
      return;
    case 'rarely-stopped':
      if (choice === 0) send(rig, { type: 'stopped' });
  }
}

test('after random inputs a play is over exactly once, has no load left, and its mix is closed', () => {
  fc.assert(
    fc.property(orders, fc.array(events, { maxLength: 60 }), ({ lengthMs, ...rest }, happenings) => {
      const order: PlayOrder = {
        play: 'p',
        owner: { kind: 'test', id: 'o' },
        to: ['leg'],
        ...rest,
        ...(lengthMs === undefined ? {} : { lengthMs }),
      };
      const rig: Rig = {
        play: newPlay(order),
        now: 1_000,
        overs: 0,
        begun: 0,
        mix: 'none',
        loads: new Map(),
        sound: undefined,
        next: undefined,
        timers: new Map(),
        isWatched: false,
      };
      send(rig, { type: 'ordered' });
      for (const happening of happenings) happen(rig, happening);
      assert.ok(rig.begun <= 1);
      send(rig, { type: 'stopped' });
      assert.equal(rig.overs, 1);
    }),
    { numRuns: 1_000 },
  );
});
