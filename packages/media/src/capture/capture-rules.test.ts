import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toneLevel } from '../dsp/tone-level.ts';
import type { LegTaps } from './capture.ts';
import { type Captures, type CapturesDeps, createCaptures } from './captures.ts';

const FRAME = 160;

/** One phase: each leg has one turn a step. */
function createBench(options: Partial<CapturesDeps> = {}) {
  const taps = new Map<string, LegTaps | undefined>();
  const present = new Set<string>();
  const chunks: { name: string; tracks: number; samples: Int16Array; isLast: boolean; sampleRate: number }[] =
    [];
  const captures: Captures = createCaptures({
    frameSamplesFor: () => FRAME,
    phases: 1,
    chunkFrames: 5,
    mostTaps: 2,
    mostCaptures: 4,
    mostTracks: 2,
    mostLegs: 3,
    take: (name, tracks, samples, isLast, sampleRate) =>
      chunks.push({ name, tracks, samples, isLast, sampleRate }),
    attach(leg, given) {
      if (given === undefined) taps.delete(leg);
      else taps.set(leg, given);
      return present.has(leg);
    },
    ...options,
  });
  return {
    captures,
    chunks,
    taps,
    connect: (...legs: string[]) => {
      for (const leg of legs) present.add(leg);
    },
    /** One step in which these legs say a frame of this level, or the given samples. */
    step(says: Readonly<Record<string, number | Int16Array | undefined>>) {
      for (const [leg, level] of Object.entries(says)) {
        const frame = typeof level === 'number' ? new Int16Array(FRAME).fill(level) : level;
        captures.keep(taps.get(leg)?.said ?? [], frame);
        captures.keep(taps.get(leg)?.heard ?? [], frame);
      }
      captures.step();
    },
    /** The first sample of each frame of a track. */
    frames: (tracks = 1, track = 0): number[] =>
      chunks.flatMap(({ samples }) => [...samples]).filter((_, at) => at % (FRAME * tracks) === track),
  };
}

const said = (...legs: string[]) => ({ said: legs, heard: [] as string[] });

describe('the chunks of a capture', () => {
  for (const [frames, lengths] of [
    [0, [0]],
    [1, [1]],
    [4, [4]],
    [5, [5, 0]],
    [6, [5, 1]],
    [11, [5, 5, 1]],
  ] as const) {
    it(`${frames} frames come as ${lengths.join(', ')}, the last of which ends the capture`, () => {
      const bench = createBench();
      bench.connect('a');
      bench.captures.capture('c', [said('a')]);
      for (let n = 0; n < frames; n++) bench.step({ a: n + 1 });
      assert.equal(bench.captures.end('c'), true);
      assert.deepEqual(
        bench.chunks.map(({ samples }) => samples.length / FRAME),
        lengths,
      );
      assert.deepEqual(
        bench.chunks.map(({ isLast }) => isLast),
        lengths.map((_, n) => n === lengths.length - 1),
      );
      assert.ok(
        bench.chunks.every(
          ({ sampleRate, name, tracks }) => sampleRate === 8000 && name === 'c' && tracks === 1,
        ),
      );
    });
  }

  it('a silent frame between loud ones is zeros, not the frame of its slot eight frames earlier', () => {
    const bench = createBench();
    bench.connect('a');
    bench.captures.capture('c', [said('a')]);
    for (let n = 0; n < 30; n++) bench.step({ a: n % 3 === 0 ? undefined : n });
    bench.captures.end('c');
    assert.deepEqual(
      bench.frames(),
      Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? 0 : n)),
    );
  });

  it('the audio that a leg says and the audio that it hears are two tracks of one clock', () => {
    const bench = createBench();
    bench.connect('a', 'b');
    bench.captures.capture('c', [
      { said: ['a'], heard: [] },
      { said: [], heard: ['b'] },
    ]);
    for (let n = 1; n <= 6; n++) bench.step({ a: n, b: -n });
    bench.captures.end('c');
    assert.deepEqual(bench.frames(2, 0), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(bench.frames(2, 1), [-1, -2, -3, -4, -5, -6]);
  });

  it('a leg that stays away for more than eight frames has silence, and the others go on', () => {
    const bench = createBench();
    bench.connect('a', 'b');
    bench.captures.capture('c', [said('a'), said('b')]);
    for (let n = 1; n <= 20; n++) bench.step(n < 4 ? { a: n, b: n } : { a: n });
    for (let n = 21; n <= 24; n++) bench.step({ a: n, b: n });
    bench.captures.end('c');
    const [a, b] = [bench.frames(2, 0), bench.frames(2, 1)];
    assert.deepEqual(
      a,
      Array.from({ length: 24 }, (_, n) => n + 1),
    );
    assert.deepEqual(b.slice(0, 4), [1, 2, 3, 0]);
    assert.equal(b.filter((level) => level > 0).length, 7);
  });
});

describe('frames of another rate', () => {
  it('are converted to that of the capture, and ring out into the next frame', () => {
    const bench = createBench();
    bench.connect('a');
    bench.captures.capture('c', [said('a')]);
    const wide = (n: number): Int16Array =>
      Int16Array.from({ length: 320 }, (_, i) =>
        Math.round(8000 * Math.sin((2 * Math.PI * 1000 * (n * 320 + i)) / 16_000)),
      );
    for (let n = 0; n < 20; n++) bench.step({ a: wide(n) });
    bench.step({ a: undefined });
    bench.step({ a: undefined });
    bench.captures.end('c');
    const all = Int16Array.from(bench.chunks.flatMap(({ samples }) => [...samples]));
    assert.equal(all.length, 22 * FRAME);
    assert.ok(
      Math.abs(toneLevel(all.subarray(FRAME, 20 * FRAME), 8000, 1000) - 20 * Math.log10(8000 / 32_767)) < 0.2,
    );
    assert.ok(
      all.subarray(20 * FRAME, 21 * FRAME).some((sample) => Math.abs(sample) > 500),
      'the end of the filter',
    );
    assert.ok(all.subarray(21 * FRAME).every((sample) => sample === 0));
  });

  it('of a capture are those of its legs when it begins, or those that it is given', () => {
    const bench = createBench({ frameSamplesFor: (legs) => (legs.includes('wide') ? 320 : FRAME) });
    bench.captures.capture('narrow', [said('a')]);
    bench.captures.capture('broad', [said('a', 'wide')]);
    bench.captures.capture('given', [said('a')], 960);
    bench.captures.endAll();
    assert.deepEqual(
      bench.chunks.map(({ name, sampleRate }) => [name, sampleRate]),
      [
        ['narrow', 8000],
        ['broad', 16_000],
        ['given', 48_000],
      ],
    );
  });
});

describe('the taps of legs', () => {
  it('exist while a capture names the leg', () => {
    const bench = createBench();
    bench.captures.capture('c', [said('a', 'b')]);
    bench.captures.capture('d', [said('b')]);
    assert.deepEqual([...bench.taps.keys()], ['a', 'b']);
    bench.captures.capture('c', [said('b')]);
    assert.deepEqual([...bench.taps.keys()], ['b']);
    bench.captures.end('c');
    assert.equal(bench.captures.tapsOf('b')!.said.length, 1);
    bench.captures.end('d');
    assert.deepEqual([...bench.taps.keys()], []);
    assert.equal(bench.captures.tapsOf('b'), undefined);
  });

  it('a leg in two tracks has one tap in each, and what it says is in both', () => {
    const bench = createBench();
    bench.connect('a');
    bench.captures.capture('c', [said('a'), said('a')]);
    bench.step({ a: 7 });
    bench.captures.end('c');
    assert.deepEqual([bench.frames(2, 0), bench.frames(2, 1)], [[7], [7]]);
  });
});

describe('a capture that another engine continues', () => {
  it('emits its samples without an end, and goes on after the missed frames', () => {
    const bench = createBench();
    bench.connect('a');
    bench.captures.capture('c', [said('a')]);
    for (let n = 1; n <= 3; n++) bench.step({ a: n });
    const saved = bench.captures.release('c')!;
    assert.deepEqual(saved, { tracks: [said('a')], frameSamples: FRAME, isPaused: false });
    assert.deepEqual(
      bench.chunks.map(({ samples, isLast }) => [samples.length / FRAME, isLast]),
      [[3, false]],
    );
    assert.equal(bench.captures.release('c'), undefined);
    assert.equal(bench.captures.size(), 0);
    const other = createBench();
    other.connect('a');
    assert.equal(other.captures.adopt('c', saved, 2), true);
    for (let n = 6; n <= 7; n++) other.step({ a: n });
    other.captures.end('c');
    assert.deepEqual(other.frames(), [0, 0, 6, 7]);
  });

  it('stays paused, and its pause takes no time there either', () => {
    const bench = createBench();
    bench.connect('a');
    bench.captures.capture('c', [said('a')]);
    bench.captures.pause('c', true);
    const saved = bench.captures.release('c')!;
    assert.equal(saved.isPaused, true);
    const other = createBench();
    other.connect('a');
    other.captures.adopt('c', saved, 100);
    other.step({ a: 1 });
    other.captures.pause('c', false);
    other.step({ a: 2 });
    other.captures.end('c');
    assert.deepEqual(other.frames(), [2]);
  });

  it('is refused where the engine has no room for it', () => {
    const bench = createBench({ mostCaptures: 0 });
    assert.equal(
      bench.captures.adopt('c', { tracks: [said('a')], frameSamples: FRAME, isPaused: false }, 1),
      false,
    );
  });
});

describe('a tap for a program', () => {
  it('emits each frame at once, may change its number of tracks, and reports no end', () => {
    const bench = createBench();
    bench.connect('a', 'b');
    const seen: number[][] = [];
    const take: Parameters<Captures['tap']>[3] = (_name, tracks, samples, isLast) => {
      assert.equal(isLast, false);
      seen.push([tracks, samples.length, ...samples.subarray(0, tracks)]);
    };
    assert.equal(bench.captures.tap('t', [said('a')], FRAME, take), true);
    bench.step({ a: 5, b: 6 });
    bench.captures.tap('t', [said('a'), said('b')], FRAME, take);
    bench.step({ a: 7, b: 8 });
    bench.step({ a: undefined, b: 9 });
    bench.captures.endTap('t');
    bench.captures.endTap('t');
    bench.step({ a: 1, b: 1 });
    assert.deepEqual(seen, [
      [1, 160, 5],
      [2, 320, 7, 8],
      [2, 320, 0, 9],
    ]);
    assert.equal(bench.captures.taps(), 0);
  });

  it('takes as many tracks as a room has members, and no skipped frames', () => {
    const bench = createBench();
    let frames = 0;
    const take = (): void => {
      frames++;
    };
    assert.equal(bench.captures.tap('t', [said(), said(), said()], FRAME, take), true);
    assert.equal(bench.captures.tap('u', [said(), said(), said(), said()], FRAME, take), false);
    assert.equal(bench.captures.tap('u', [], FRAME, take), false);
    assert.equal(bench.captures.tap('u', [said()], FRAME, take), true);
    assert.equal(bench.captures.tap('v', [said()], FRAME, take), false, 'the limit of taps');
    bench.captures.skip(50);
    assert.equal(frames, 0);
  });

  it('a stall is captured as ten minutes of silence at most', () => {
    const bench = createBench({ chunkFrames: 30_000 });
    bench.captures.capture('c', [said('a')]);
    bench.captures.skip(1e9);
    bench.captures.end('c');
    const samples = bench.chunks.reduce((sum, chunk) => sum + chunk.samples.length, 0);
    assert.equal(samples, 30_000 * FRAME);
  });
});
