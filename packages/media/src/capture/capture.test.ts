import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LegTaps } from './capture.ts';
import { createCaptures } from './captures.ts';

const FRAME = 4;
const PHASES = 8;

/** Legs whose n-th frame holds the number n, so that losses and repetitions show. */
function createBench(options: { chunkFrames?: number; mostCaptures?: number } = {}) {
  const taps = new Map<string, LegTaps | undefined>();
  const present = new Set<string>();
  const said = new Map<string, number>();
  const taken = new Map<string, { samples: number[]; chunks: number; ended: boolean }>();
  const frame = new Int16Array(FRAME);
  const captures = createCaptures({
    frameSamplesFor: () => FRAME,
    phases: PHASES,
    chunkFrames: options.chunkFrames ?? 5,
    mostTaps: 0,
    mostCaptures: options.mostCaptures ?? 10,
    mostTracks: 4,
    mostLegs: 8,
    take(name, _tracks, samples, isLast) {
      const one = taken.get(name) ?? { samples: [], chunks: 0, ended: false };
      taken.set(name, one);
      assert.ok(!one.ended, 'no audio follows the end');
      assert.equal(samples.byteLength, samples.buffer.byteLength);
      one.samples.push(...samples);
      one.chunks++;
      one.ended = isLast;
    },
    attach(leg, given) {
      taps.set(leg, given);
      return present.has(leg);
    },
  });
  return {
    captures,
    taken,
    connect(leg: string) {
      present.add(leg);
      const given = captures.tapsOf(leg);
      taps.set(leg, given);
      if (given !== undefined) given.isPresent = true;
    },
    close(leg: string) {
      present.delete(leg);
      const given = taps.get(leg);
      if (given !== undefined) given.isPresent = false;
    },
    turn(leg: string, value?: number) {
      const number = (said.get(leg) ?? 0) + 1;
      said.set(leg, number);
      const given = taps.get(leg);
      if (given !== undefined) captures.keep(given.said, frame.fill(value ?? number));
    },
    said: (leg: string) => said.get(leg) ?? 0,
  };
}

/** The first sample of each frame of one track. */
function framesOf(samples: readonly number[], tracks: number, track: number): number[] {
  return samples.filter((_, at) => at % (FRAME * tracks) === track);
}

test('legs of different phases make one frame per frame period, and tracks are aligned', () => {
  const bench = createBench();
  bench.connect('a');
  bench.connect('b');
  bench.captures.capture('c', [
    { said: ['a'], heard: [] },
    { said: ['b'], heard: [] },
  ]);
  for (let step = 0; step < 10 * PHASES; step++) {
    if (step % PHASES === 2) bench.turn('a');
    if (step % PHASES === 7) bench.turn('b', -bench.said('b') - 1);
    bench.captures.step();
  }
  bench.captures.end('c');
  const { samples, ended } = bench.taken.get('c')!;
  assert.ok(ended);
  assert.deepEqual(framesOf(samples, 2, 0), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(framesOf(samples, 2, 1), [-1, -2, -3, -4, -5, -6, -7, -8, -9, -10]);
  assert.equal(samples.length, 10 * FRAME * 2);
  assert.equal(bench.captures.tapsOf('a'), undefined);
});

test('a sum above full scale saturates, and a leg named twice in a track counts once', () => {
  const bench = createBench();
  for (const leg of ['a', 'b']) bench.connect(leg);
  bench.captures.capture('c', [{ said: ['a', 'b', 'a'], heard: [] }]);
  for (const [a, b] of [
    [30_000, 30_000],
    [-30_000, -30_000],
    [5, 7],
  ]) {
    bench.turn('a', a!);
    bench.turn('b', b!);
    for (let step = 0; step < PHASES; step++) bench.captures.step();
  }
  bench.captures.end('c');
  assert.deepEqual(framesOf(bench.taken.get('c')!.samples, 1, 0), [32767, -32768, 12]);
});

test('a capture without present legs keeps silence at the pace of the clock; a pause keeps nothing and takes no time', () => {
  const bench = createBench();
  bench.captures.capture('c', [{ said: ['a'], heard: [] }]);
  for (let step = 0; step < 10 * PHASES; step++) bench.captures.step();
  bench.connect('a');
  const run = (frames: number): void => {
    for (let n = 0; n < frames; n++) {
      bench.turn('a');
      for (let step = 0; step < PHASES; step++) bench.captures.step();
    }
  };
  run(3);
  bench.captures.pause('c', true);
  run(100);
  bench.captures.pause('c', true);
  bench.captures.pause('c', false);
  run(2);
  bench.close('a');
  for (let step = 0; step < 5 * PHASES; step++) bench.captures.step();
  bench.captures.end('c');
  const frames = framesOf(bench.taken.get('c')!.samples, 1, 0);
  assert.deepEqual(frames.slice(0, 16), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 104, 105, 0]);
  assert.ok(frames.length >= 19 && frames.length <= 21, `${frames.length}`);
});

test('tracks continue without a gap when their legs change, and another number of tracks is refused', () => {
  const bench = createBench();
  for (const leg of ['a', 'b']) bench.connect(leg);
  bench.captures.capture('c', [{ said: ['a'], heard: [] }]);
  const run = (frames: number): void => {
    for (let n = 0; n < frames; n++) {
      bench.turn('a');
      bench.turn('b', 1000);
      for (let step = 0; step < PHASES; step++) bench.captures.step();
    }
  };
  run(3);
  assert.equal(bench.captures.capture('c', [{ said: ['a', 'b'], heard: [] }]), true);
  run(2);
  assert.equal(bench.captures.capture('c', [{ said: ['b'], heard: [] }]), true);
  run(1);
  assert.equal(bench.captures.capture('c', []), false);
  assert.equal(
    bench.captures.capture('c', [
      { said: [], heard: [] },
      { said: [], heard: [] },
    ]),
    false,
  );
  bench.captures.end('c');
  assert.deepEqual(framesOf(bench.taken.get('c')!.samples, 1, 0), [1, 2, 3, 1004, 1005, 1000]);
});

test('captures, tracks and legs beyond their limits are refused, and an unknown name returns false', () => {
  const bench = createBench({ mostCaptures: 1 });
  const track = { said: [], heard: [] };
  assert.equal(bench.captures.capture('a', [track]), true);
  assert.equal(bench.captures.capture('b', [track]), false);
  assert.equal(bench.captures.capture('a', []), false);
  assert.equal(bench.captures.capture('c', [track, track, track, track, track]), false);
  assert.equal(bench.captures.capture('a', [{ said: Array(9).fill('x'), heard: [] }]), false);
  assert.equal(bench.captures.pause('x', true), false);
  assert.equal(bench.captures.end('x'), false);
  bench.captures.endAll();
  assert.equal(bench.captures.size(), 0);
  assert.deepEqual(bench.taken.get('a'), { samples: [], chunks: 1, ended: true });
});

test('each frame of a leg is captured once and in order, through any moves between phases', () => {
  const move = fc.record({ leg: fc.nat(2), by: fc.integer({ min: 1, max: 2 * PHASES - 1 }) });
  fc.assert(
    fc.property(fc.array(fc.option(move), { minLength: 20, maxLength: 60 }), (moves) => {
      const bench = createBench();
      const legs = ['a', 'b', 'c'];
      for (const leg of legs) bench.connect(leg);
      const due = [0, 3, 7];
      bench.captures.capture('x', [
        { said: ['a'], heard: [] },
        { said: ['b'], heard: [] },
        { said: ['c'], heard: [] },
      ]);
      let step = 0;
      const spread = (): number => {
        const counts = legs.map(bench.said);
        return Math.max(...counts) - Math.min(...counts);
      };
      for (const next of moves) {
        for (let k = 0; k < PHASES; k++, step++) {
          legs.forEach((leg, n) => {
            if (step < due[n]!) return;
            bench.turn(leg);
            due[n] = step + PHASES;
          });
          bench.captures.step();
        }
        // Legs further apart than a capture waits lose late frames by design.
        if (next !== null && spread() < 4) due[next.leg] = Math.max(step, due[next.leg]! - PHASES + next.by);
      }
      bench.captures.end('x');
      const { samples } = bench.taken.get('x')!;
      legs.forEach((leg, track) => {
        const frames = framesOf(samples, 3, track).filter((value) => value !== 0);
        assert.deepEqual(
          frames,
          Array.from({ length: bench.said(leg) }, (_, n) => n + 1),
        );
        // No gap before the last frames, which the other legs did not reach.
        assert.ok(
          framesOf(samples, 3, track)
            .slice(0, -8)
            .every((value) => value !== 0),
        );
      });
    }),
    { numRuns: 200 },
  );
});

test('frames skipped in a stall are captured as silence on every track, and the tracks stay aligned', () => {
  const bench = createBench();
  bench.connect('a');
  bench.connect('b');
  bench.captures.capture('c', [
    { said: ['a'], heard: [] },
    { said: ['b'], heard: [] },
  ]);
  const run = (frames: number): void => {
    for (let step = 0; step < frames * PHASES; step++) {
      if (step % PHASES === 1) bench.turn('a');
      if (step % PHASES === 6) bench.turn('b');
      bench.captures.step();
    }
  };
  run(10);
  bench.captures.skip(100);
  run(10);
  bench.captures.end('c');
  const { samples } = bench.taken.get('c')!;
  const [a, b] = [framesOf(samples, 2, 0), framesOf(samples, 2, 1)];
  assert.deepEqual(a, b, 'both tracks have the same audio at the same time');
  assert.deepEqual(a, [...seriesOf(1, 10), ...new Array(100).fill(0), ...seriesOf(11, 20)]);
});

test('a pause takes no time, even when frames are skipped during it', () => {
  const bench = createBench();
  bench.connect('a');
  bench.captures.capture('c', [{ said: ['a'], heard: [] }]);
  bench.captures.pause('c', true);
  bench.captures.skip(100);
  bench.captures.end('c');
  assert.deepEqual(bench.taken.get('c')!.samples, []);
});

function seriesOf(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}
