import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toneLevel } from '../dsp/tone-level.ts';
import { choosePhase, type PhaseGrid, type Readiness } from './choose-phase.ts';
import { createSoundLibrary } from './sound-library.ts';

const idle = (): number => 0;
const grid = (phases: number, workMs: (phase: number) => number = idle): PhaseGrid => ({
  phases,
  stepMs: 20 / phases,
  timeMs: 1000,
  workMs,
});
const leg = (readyMs: number, everyMs = 20, edgeMs = 0, stayEdgeMs = 0): Readiness => ({
  readyMs,
  everyMs,
  edgeMs,
  stayEdgeMs,
});

describe('the choice of a phase', () => {
  for (const [rule, legs, present, phases, expected] of [
    ['a leg that is ready at a step is taken there', [leg(1000)], 3, 8, 0],
    ['a leg that is ready just after a step waits for the next', [leg(1000.1)], 0, 8, 1],
    ['readiness repeats: 17 intervals earlier is the same', [leg(1007.5 - 17 * 20)], 0, 8, 3],
    ['readiness in the future counts as well', [leg(1007.5 + 5 * 20)], 0, 8, 3],
    ['of equal waits the present phase stays', [leg(1000), leg(1010)], 4, 8, 4],
    ['two legs: the later one decides', [leg(1001), leg(1004)], 0, 8, 2],
    ['an edge that is missed costs a whole interval', [leg(1009, 20, 2)], 0, 8, 5],
    ['the present phase has no edge', [leg(1009, 20, 2)], 4, 8, 4],
    ['the present phase stays while its audio is ready a little late', [leg(1010.9, 20, 0, -1)], 4, 8, 4],
    ['it is left when its audio is ready too late', [leg(1011.1, 20, 0, -1)], 4, 8, 5],
    ['a little late is as late before a turn of an earlier interval', [leg(990.9 - 60, 20, 0, -1)], 4, 8, 4],
    ['an edge of the present phase that is missed costs a whole interval', [leg(1010, 20, 0, 2)], 4, 8, 5],
    ['packets of 10 ms are ready twice in a frame', [leg(1012.5, 10)], 0, 8, 1],
    ['one phase leaves no choice', [leg(1013)], 0, 1, 0],
  ] as const) {
    it(rule, () => assert.equal(choosePhase(legs, present, grid(phases)).phase, expected));
  }

  it('work beyond three quarters of a step costs more than a short wait', () => {
    const legs = [leg(1000)];
    const full = (phase: number): number => (phase === 0 ? 2.5 : 0);
    assert.equal(choosePhase(legs, 0, grid(8, full)).phase, 1);
    const nearlyFull = (phase: number): number => (phase === 0 ? 1.8 : 0);
    assert.equal(choosePhase(legs, 0, grid(8, nearlyFull)).phase, 0);
  });

  it('the gain is the decrease of the longest wait, the mean wait and the work of the phase', () => {
    const choice = choosePhase([leg(1000), leg(1002.5)], 0, grid(8));
    // At phase 0 the waits are 0 and 17.5 ms; at phase 1 they are 2.5 and 0 ms.
    assert.deepEqual([choice.phase, choice.gainMs], [1, 17.5 + 17.5 / 2 - (2.5 + 2.5 / 2)]);
  });

  for (const [rule, legs, mayComeEarlier] of [
    ['when each leg waits at least as long as the turn moves', [leg(1000), leg(1002.5)], true],
    ['not when one leg needs the time', [leg(1000), leg(1000), leg(1009)], false],
    ['not when a leg may have arrived at the last moment', [leg(1000), leg(1010.5 - 20 + 2)], false],
  ] as const) {
    it(`a frame may come earlier ${rule}`, () => {
      const choice = choosePhase(legs, 4, grid(8));
      assert.equal(choice.mayComeEarlier, mayComeEarlier, JSON.stringify(choice));
    });
  }

  it('is that of a search over all phases by waits that are counted in steps', () => {
    const tenth = (most: number) => fc.nat(most * 10).map((value) => value / 10);
    const legs = fc.array(
      fc.record({
        readyMs: tenth(60).map((ms) => 980 + ms),
        everyMs: fc.constantFrom(10, 20),
        edgeMs: fc.constantFrom(0, 2),
        stayEdgeMs: fc.constantFrom(0, 2, -1.5),
      }),
      { minLength: 1, maxLength: 5 },
    );
    const work = fc.array(tenth(4), { minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(legs, fc.constantFrom(1, 2, 4, 8, 16), fc.nat(15), work, (each, phases, at, loads) => {
        const present = at % phases;
        const stepMs = 20 / phases;
        const cost = (phase: number): number => {
          const waits = each.map(({ readyMs, everyMs, edgeMs, stayEdgeMs }) => {
            const turnMs = 1000 + phase * stepMs;
            // The newest time of readiness that is not after the turn.
            let ready = readyMs;
            while (ready > turnMs) ready -= everyMs;
            while (ready + everyMs <= turnMs) ready += everyMs;
            const wait = turnMs - ready;
            const edge = phase === present ? stayEdgeMs : edgeMs;
            if (edge < 0) return everyMs - wait <= -edge ? 0 : wait;
            return wait < edge ? wait + everyMs : wait;
          });
          const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
          const beyond = Math.max(0, loads[phase]! - 0.75 * stepMs);
          return Math.max(...waits) + mean + loads[phase]! + 6 * beyond;
        };
        const choice = choosePhase(
          each,
          present,
          grid(phases, (phase) => loads[phase]!),
        );
        const least = Math.min(...Array.from({ length: phases }, (_, phase) => cost(phase)));
        assert.ok(cost(choice.phase) <= least + 1e-6);
        assert.ok(Math.abs(choice.gainMs - (cost(present) - cost(choice.phase))) < 1e-6);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the sounds of an engine', () => {
  const clip = (sampleRate: number, ms: number) => ({
    sampleRate,
    samples: new Int16Array((sampleRate * ms) / 1000).fill(1000),
  });
  const frameOf = (library: ReturnType<typeof createSoundLibrary>, rate: number, name = 'c') =>
    library.play(1, { kind: 'clip', name }, false, rate)?.frame.length;

  for (const [rule, sampleRate, listeners, frame] of [
    ['a clip of a telephone is played at 8 kHz to any listener', 8000, 48_000, 160],
    ['a wide clip is played at 16 kHz to wideband listeners', 24_000, 16_000, 320],
    ['a wide clip is played at 8 kHz to telephones', 24_000, 8000, 160],
    ['just above 8 kHz is wide', 8001, 16_000, 320],
  ] as const) {
    it(rule, () => {
      const library = createSoundLibrary(100_000);
      assert.ok(library.loadClip('c', clip(sampleRate, 1000)));
      assert.equal(frameOf(library, listeners), frame);
    });
  }

  it('the limit counts samples at both rates; a clip that does not fit leaves the earlier one of its name', () => {
    const library = createSoundLibrary(8000 + 16_000 + 8000);
    assert.ok(library.loadClip('wide', clip(48_000, 1000)));
    assert.ok(library.loadClip('c', clip(8000, 1000)));
    assert.ok(!library.loadClip('more', clip(8000, 1)));
    assert.ok(!library.loadClip('c', clip(8000, 1001)));
    assert.equal(frameOf(library, 8000), 160);
    assert.equal(library.clips, 2);
  });

  it('replacing and dropping a clip frees what it used', () => {
    const library = createSoundLibrary(8000);
    for (let n = 0; n < 5; n++) assert.ok(library.loadClip('c', clip(8000, 1000)), `replaced ${n} times`);
    library.dropClip('c');
    library.dropClip('c');
    assert.ok(library.loadClip('d', clip(8000, 1000)));
    assert.equal(frameOf(library, 8000), undefined);
    assert.equal(library.clips, 1);
  });

  it('a given conversion is used and not computed again', () => {
    const library = createSoundLibrary(100_000);
    const narrow = new Int16Array(320).fill(77);
    library.loadClip('c', clip(16_000, 40), narrow);
    const play = library.play(1, { kind: 'clip', name: 'c' }, false, 8000)!;
    play.advance();
    assert.ok(play.frame.every((sample) => sample === 77));
  });

  for (const [rule, frequencyHz, rate, isPlayed] of [
    ['below half of the rate', 3999, 8000, true],
    ['at half of the rate', 4000, 8000, false],
    ['above that of telephones, to wideband listeners', 4000, 16_000, true],
    ['of 0 Hz', 0, 8000, false],
    ['of a negative frequency', -440, 8000, false],
    ['of no number', Number.NaN, 8000, false],
  ] as const) {
    it(`a tone ${rule} is ${isPlayed ? 'played' : 'refused'}`, () => {
      const play = createSoundLibrary(0).play(1, { kind: 'tone', frequencyHz, levelDb: -10 }, false, rate);
      assert.equal(play !== undefined, isPlayed);
    });
  }

  it('a tone has its frequency and level at the rate of the listeners, and is endless when looped', () => {
    for (const rate of [8000, 16_000, 48_000]) {
      const tone = { kind: 'tone', frequencyHz: 1000, levelDb: -12, durationMs: 100 } as const;
      const play = createSoundLibrary(0).play(1, tone, true, rate)!;
      const samples = new Int16Array(rate / 5);
      for (let n = 0; n < 10; n++) {
        assert.ok(play.advance());
        samples.set(play.frame, n * play.frame.length);
      }
      const level = toneLevel(samples.subarray(rate / 20), rate, 1000);
      assert.ok(Math.abs(level + 12) < 0.1, `${rate}: ${level}`);
      const once = createSoundLibrary(0).play(1, tone, false, rate)!;
      let frames = 0;
      while (once.advance()) frames++;
      assert.equal(frames, 5);
    }
  });

  it('built-in sounds are rendered once and played at 8 kHz', () => {
    const library = createSoundLibrary(0);
    library.warmUp();
    for (const sound of [{ kind: 'beep', count: 2 }, { kind: 'ringback' }, { kind: 'hold-music' }] as const) {
      const play = library.play(9, sound, true, 48_000)!;
      assert.deepEqual([play.id, play.frame.length, play.advance()], [9, 160, true]);
    }
    assert.equal(library.clips, 0);
  });
});
