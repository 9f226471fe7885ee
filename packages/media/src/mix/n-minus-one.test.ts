import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CEILING } from '../dsp/soft-ceiling.ts';
import { createAudience, mixFor, sumAudience } from './audience.ts';
import { ConvertedSource } from './converted-source.ts';
import { createAudiences, type Listener, type Seat } from './resolve-audiences.ts';
import type { Source } from './source.ts';

const FRAME = 160;
const noConversion = () => assert.fail('all sources have the rate of their listeners');

function source(id: number, samples: number | Int16Array = 0, frameSamples = FRAME): Source {
  const frame = typeof samples === 'number' ? new Int16Array(frameSamples).fill(samples) : samples;
  return { id, frame, active: typeof samples !== 'number' || samples !== 0 };
}

/** The listener's next frame; its own one is subtracted where it was added. */
function heardBy(seat: Seat, tick: number, self?: Source): Int16Array {
  sumAudience(seat.audience, tick);
  const out = new Int16Array(seat.audience.frameSamples);
  seat.gain = mixFor(seat.audience, self?.active === false ? undefined : seat.own?.frame, out, seat.gain);
  return out;
}

describe('the frame of a listener, against the sum of its table', () => {
  const talkers = 6;
  const table = fc.array(fc.uniqueArray(fc.nat(talkers - 1)), { minLength: talkers, maxLength: talkers });
  const levels = fc.array(fc.integer({ min: -1500, max: 1500 }), { minLength: talkers, maxLength: talkers });
  const active = fc.array(fc.boolean(), { minLength: talkers, maxLength: talkers });

  it('is exactly the sum of the active sources that the listener may hear, for any table, level and activity', () => {
    fc.assert(
      fc.property(
        table,
        fc.array(fc.tuple(levels, active), { minLength: 1, maxLength: 5 }),
        (hears, ticks) => {
          const sources = Array.from({ length: talkers }, (_, id) => source(id + 1));
          const audiences = createAudiences(1);
          const listeners = hears.map(
            (names, self): Listener => ({
              self: sources[self]!,
              hears: new Set(names.map((name) => sources[name]!)),
              frameSamples: FRAME,
            }),
          );
          const seats = audiences.seat(listeners);
          for (const [tick, [level, talks]] of ticks.entries()) {
            for (const [n, each] of sources.entries()) {
              each.active = talks[n]!;
              // An inactive source may hold an old frame, which no listener may hear.
              for (let i = 0; i < FRAME; i++) each.frame[i] = level[n]! + ((i * (n + 1)) % 50);
            }
            for (const [n, seat] of seats.entries()) {
              if (hears[n]!.length === 0) {
                assert.equal(seat, undefined);
                continue;
              }
              const heard = heardBy(seat!, tick, sources[n]!);
              // Where no source of the audience is active, nothing is mixed.
              if (seat!.audience.activeSources === 0) continue;
              for (const i of [0, 1, 79, 159]) {
                const expected = hears[n]!.reduce(
                  (sum, name) => sum + (talks[name] ? sources[name]!.frame[i]! : 0),
                  0,
                );
                assert.equal(heard[i], expected, `listener ${n}, sample ${i}`);
              }
            }
          }
          for (const seat of seats) if (seat !== undefined) audiences.leave(seat);
          assert.equal(audiences.size(), 0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('all talkers of a room share one audience, however many they are', () => {
    const sources = Array.from({ length: 20 }, (_, id) => source(id + 1, id + 1));
    const audiences = createAudiences(1);
    const seats = audiences.seat(
      sources.map((self) => ({
        self,
        hears: new Set(sources.filter((other) => other !== self)),
        frameSamples: FRAME,
      })),
    );
    assert.equal(audiences.size(), 1);
    for (const [n, seat] of seats.entries()) assert.equal(heardBy(seat!, 0)[FRAME - 1], 210 - (n + 1));
  });

  it('listeners of two rates are two audiences of the same sources', () => {
    const [one, other] = [source(1, 500), source(2, 700)];
    const audiences = createAudiences(1);
    const seats = audiences.seat([
      { self: source(3), hears: new Set([one, other]), frameSamples: FRAME },
      { self: source(4), hears: new Set([one, other]), frameSamples: 320 },
    ]);
    assert.equal(audiences.size(), 2);
    assert.deepEqual(
      seats.map((seat) => [seat!.audience.key, heardBy(seat!, 0).length]),
      [
        ['160:1,2', 160],
        ['320:1,2', 320],
      ],
    );
  });

  it('a new listener of an audience in use begins at its present gain', () => {
    const sources = [source(1, 30_000), source(2, 30_000), source(3, 30_000)];
    const audiences = createAudiences(1);
    const hears = new Set(sources);
    const [first] = audiences.seat([{ self: source(9), hears, frameSamples: FRAME }]);
    heardBy(first!, 0);
    const [second] = audiences.seat([{ self: source(8), hears, frameSamples: FRAME }]);
    assert.equal(second!.audience, first!.audience);
    assert.ok(second!.gain < 0.4);
    assert.equal(second!.gain, first!.audience.gain);
    audiences.leave(first!);
    assert.equal(audiences.size(), 1);
    audiences.leave(second!);
    assert.equal(audiences.size(), 0);
  });
});

describe('the limiter of an audience', () => {
  const audienceOf = (...levels: readonly number[]) =>
    createAudience(
      levels.map((level, n) => source(n + 1, level)),
      'x',
      FRAME,
      1,
      noConversion,
    );
  const mixed = (audience: ReturnType<typeof audienceOf>, own?: number): Int16Array => {
    const out = new Int16Array(FRAME);
    mixFor(audience, own === undefined ? undefined : audience.sources[own]!.frame, out);
    return out;
  };

  for (const [rule, levels, gain] of [
    ['a sum exactly at the ceiling passes', [CEILING - 1000, 1000], 1],
    ['a sum one above it is lowered to it', [CEILING - 1000, 1001], CEILING / (CEILING + 1)],
    ['negative sums count alike', [-20_000, -20_000], CEILING / 40_000],
    [
      'talkers that cancel each other leave the sum silent, but not what each hears',
      [20_000, -20_000, 100],
      1,
    ],
    ['two talkers of whom each hears the other alone need no gain', [30_000, -30_000], 1],
    ['of three the loudest pair decides', [20_000, 20_000, -20_000], CEILING / 40_000],
    ['one talker is never lowered', [32_767], 1],
  ] as const) {
    it(rule, () => {
      const audience = audienceOf(...levels);
      sumAudience(audience, 0);
      assert.ok(Math.abs(audience.gain - gain) < 1e-9, `${audience.gain}`);
    });
  }

  it('a sum is computed once a tick', () => {
    const audience = audienceOf(100, 200);
    sumAudience(audience, 5);
    audience.sources[0]!.frame.fill(1);
    sumAudience(audience, 5);
    assert.equal(audience.sum[0], 300);
    sumAudience(audience, 6);
    assert.equal(audience.sum[0], 201);
  });

  it('without active sources the sum of the tick before is not heard', () => {
    const audience = audienceOf(100, 200);
    sumAudience(audience, 0);
    for (const each of audience.sources) each.active = false;
    sumAudience(audience, 1);
    assert.equal(audience.activeSources, 0);
  });

  it('the gain falls from the gain before to the new one and is constant after the ramp', () => {
    const audience = audienceOf(0, 0, 0);
    // The first half is quiet, the second too loud.
    for (const each of audience.sources) {
      each.active = true;
      each.frame.fill(1000, 0, 80);
      each.frame.fill(20_000, 80);
    }
    sumAudience(audience, 0);
    assert.equal(audience.rampEnd, 80);
    const out = mixed(audience);
    for (let i = 1; i < 80; i++) assert.ok(out[i]! <= out[i - 1]!, `${i}`);
    assert.equal(out[0], Math.round(3000 * (1 - (1 - audience.gain) / 80)));
    assert.deepEqual(new Set(out.subarray(80)), new Set([CEILING]));
  });

  it('a ramp is never shorter than a millisecond', () => {
    const audience = audienceOf(30_000, 30_000);
    sumAudience(audience, 0);
    assert.equal(audience.rampEnd, 8);
    // Meanwhile the samples are compressed below full scale.
    assert.ok(mixed(audience).every((sample) => sample <= 32_767 && sample > 20_000));
  });

  it('after the last loud frame the gain holds for ten frames and rises by 8 % in each further one', () => {
    const audience = audienceOf(30_000, 30_000);
    sumAudience(audience, 0);
    const low = audience.gain;
    for (const each of audience.sources) each.frame.fill(100);
    const gains = Array.from({ length: 13 }, (_, n) => {
      sumAudience(audience, n + 1);
      return audience.gain;
    });
    assert.deepEqual(gains.slice(0, 10), new Array(10).fill(low));
    for (const [n, gain] of gains.slice(10).entries())
      assert.ok(Math.abs(gain - low * 1.08 ** (n + 1)) < 1e-9);
  });

  it('the gain rises up to half a decibel below what a loud frame allows, where that frame holds it', () => {
    const audience = audienceOf(30_000, 30_000);
    sumAudience(audience, 0);
    for (const each of audience.sources) each.frame.fill(14_700);
    for (let tick = 1; tick < 60; tick++) sumAudience(audience, tick);
    const bearable = CEILING / 29_400;
    assert.ok(audience.gain <= bearable && audience.gain > bearable / 1.06, `${audience.gain}`);
    assert.ok(mixed(audience).every((sample) => sample <= CEILING));
  });

  it('fewer than two active sources reset the gain', () => {
    const audience = audienceOf(30_000, 30_000);
    sumAudience(audience, 0);
    audience.sources[1]!.active = false;
    sumAudience(audience, 1);
    assert.deepEqual([audience.gain, audience.hold], [1, 0]);
    // The ramp back to unity gain spans the frame.
    const out = mixed(audience);
    assert.ok(out[0]! < 16_000 && out[FRAME - 1]! > 29_800);
  });

  it('no table of loud talkers makes a listener clip or wrap, in any frame', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 3, maxLength: 3 }), {
          minLength: 1,
          maxLength: 12,
        }),
        (ticks) => {
          const audience = audienceOf(1, 1, 1);
          for (const [tick, levels] of ticks.entries()) {
            for (const [n, each] of audience.sources.entries()) each.frame.fill(levels[n]!);
            sumAudience(audience, tick);
            for (const own of [undefined, 0, 1, 2]) {
              const sum = levels.reduce((total, level, n) => total + (n === own ? 0 : level), 0);
              const out = mixed(audience, own);
              // The sign is that of the sum: no sample wraps.
              for (const i of [0, 80, 159])
                assert.ok(out[i]! * sum >= 0 && Math.abs(out[i]!) <= Math.abs(sum) + 1);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a source at another rate', () => {
  it('is converted once in a step, rings out for one frame of silence, and then is inactive', () => {
    const wide = source(1, 4000, 320);
    const converted = new ConvertedSource(wide, FRAME);
    const states = [true, true, false, false, true].map((talks, step) => {
      wide.active = talks;
      converted.refresh(step);
      return converted.active;
    });
    assert.deepEqual(states, [true, true, true, false, true]);
    const before = converted.frame.slice();
    wide.frame.fill(-9000);
    converted.refresh(4);
    assert.deepEqual(converted.frame, before);
    converted.refresh(5);
    assert.notDeepEqual(converted.frame, before);
  });

  it('is shared by the audiences of one rate, and forgotten with the last of them', () => {
    const [wide, near] = [source(1, 4000, 320), source(2, 100)];
    const audiences = createAudiences(1);
    const [one, two] = audiences.seat([
      { self: source(3), hears: new Set([wide]), frameSamples: FRAME },
      { self: source(4), hears: new Set([wide, near]), frameSamples: FRAME },
    ]);
    const [first] = one!.audience.converted;
    assert.equal(two!.audience.converted[0], first);
    assert.equal(first!.audiences, 2);
    audiences.leave(one!);
    const [again] = audiences.seat([{ self: source(5), hears: new Set([wide]), frameSamples: FRAME }]);
    assert.equal(again!.audience.converted[0], first);
    audiences.leave(two!);
    audiences.leave(again!);
    const [anew] = audiences.seat([{ self: source(6), hears: new Set([wide]), frameSamples: FRAME }]);
    assert.notEqual(anew!.audience.converted[0], first);
  });
});
