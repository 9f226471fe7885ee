import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bend } from '../dsp/soft-ceiling.ts';
import {
  addToSum,
  compress,
  compressA,
  compressMu,
  copyBytes,
  copySamples,
  expand,
  expandA,
  expandMu,
  peakOfSum,
  powerOf,
  scaleSum,
  startSum,
  subtractFromSum,
} from './sample-loops.ts';
import { allocateBytes, allocateSamples, allocateSums } from './sample-memory.ts';

const lengths = [160, 320, 480, 960] as const;
/** Arrays in the sample memory, and in ordinary memory. */
const memories = {
  reached: { samples: allocateSamples, sums: allocateSums, bytes: allocateBytes },
  ordinary: {
    samples: (length: number) => new Int16Array(length),
    sums: (length: number) => new Int32Array(length),
    bytes: (length: number) => new Uint8Array(length),
  },
} as const;
type Memory = (typeof memories)[keyof typeof memories];
const memory = fc.constantFrom(...Object.values(memories));
const loud = fc.oneof(fc.integer({ min: -32_768, max: 32_767 }), fc.constantFrom(-32_768, 32_767, 0, -1));

/** Up to five frames of one length. */
const frames = fc
  .constantFrom(...lengths)
  .chain((length) =>
    fc.array(fc.array(loud, { minLength: length, maxLength: length }), { minLength: 1, maxLength: 5 }),
  );

/** In memory: `map` would return an ordinary array. */
function filled<T extends Int16Array | Uint8Array>(array: T, valueAt: (index: number) => number): T {
  for (let i = 0; i < array.length; i++) array[i] = valueAt(i);
  return array;
}

/** The sum of these frames, and the frames themselves. */
function summed(voices: readonly (readonly number[])[], one: Memory, other: Memory) {
  const length = voices[0]!.length;
  const sum = one.sums(length);
  const voicesHere = voices.map((voice) => filled(other.samples(length), (i) => voice[i]!));
  startSum(sum, voicesHere[0]!);
  for (const voice of voicesHere.slice(1)) addToSum(sum, voice);
  return { length, sum, voicesHere };
}

describe('the loops over samples', () => {
  it('add frames, and take one of them away again', () => {
    fc.assert(
      fc.property(frames, memory, memory, (voices, one, other) => {
        const { length, sum, voicesHere } = summed(voices, one, other);
        const expected = voices[0]!.map((_, i) => voices.reduce((total, voice) => total + voice[i]!, 0));
        assert.deepEqual([...sum], expected);
        for (const own of [undefined, voicesHere[0]!]) {
          const out = other.samples(length);
          const rest = expected.map((sample, i) => sample - (own?.[i] ?? 0));
          const peak = Math.max(...rest.map(Math.abs));
          assert.equal(subtractFromSum(sum, own, out), peak);
          assert.equal(peakOfSum(sum, own), peak);
          assert.deepEqual(
            [...out],
            rest.map((sample) => Math.max(-32_768, Math.min(32_767, sample))),
          );
        }
      }),
    );
  });

  it('scale a sum along a ramp, and bend what is above the ceiling', () => {
    const gain = fc.double({ min: 0.1, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        frames,
        memory,
        gain,
        gain,
        fc.integer({ min: 1, max: 960 }),
        (voices, at, before, gain, end) => {
          const { length, sum, voicesHere } = summed(voices, at, at);
          const own = voicesHere[0]!;
          const ramp = Math.min(end, length);
          const step = (gain - before) / ramp;
          const out = at.samples(length);
          scaleSum(sum, own, out, before, step, ramp);
          for (let i = 0; i < length; i++) {
            const exact = bend((sum[i]! - own[i]!) * (before + step * Math.min(i + 1, ramp)));
            assert.ok(Math.abs(out[i]! - exact) < 0.6, `${out[i]} at ${i}, for ${exact}`);
          }
        },
      ),
    );
  });

  it('weigh the loudest frames exactly, and without their mean', () => {
    for (const length of lengths) {
      for (const { samples } of Object.values(memories)) {
        assert.equal(powerOf(samples(length)), 0);
        assert.equal(powerOf(samples(length).fill(-32_768)), 0);
        const square = filled(samples(length), (i) => (i % 2 === 0 ? -32_768 : 32_767));
        assert.equal(powerOf(square), (32_768 ** 2 + 32_767 ** 2) / 2 - 0.25);
      }
    }
  });

  it('encode and decode any part of an array, and touch nothing beside it', () => {
    const part = fc.record({
      before: fc.integer({ min: 0, max: 20 }),
      count: fc.oneof(fc.integer({ min: 0, max: 2_100 }), fc.constantFrom(80, 160)),
      after: fc.integer({ min: 0, max: 20 }),
    });
    fc.assert(
      fc.property(
        part,
        memory,
        memory,
        fc.infiniteStream(loud),
        ({ before, count, after }, one, other, values) => {
          for (const [law, back] of [
            [compressMu, expandMu],
            [compressA, expandA],
          ] as const) {
            const samples = filled(one.samples(count), () => values.next().value!);
            const bytes = other.bytes(before + count + after).fill(0xee);
            compress(law, samples, count, bytes, before);
            const codes = [...bytes.subarray(before, before + count)];
            assert.deepEqual([...bytes.subarray(0, before)], Array(before).fill(0xee));
            assert.deepEqual([...bytes.subarray(before + count)], Array(after).fill(0xee));
            const heard = one.samples(before + count + after).fill(77);
            expand(back, bytes, before, count, heard, after);
            assert.deepEqual([...heard.subarray(0, after)], Array(after).fill(77));
            assert.deepEqual([...heard.subarray(after + count)], Array(before).fill(77));
            // What was decoded is encoded to the same code, whether alone or beside others.
            const one8 = new Uint8Array(1);
            for (let i = 0; i < count; i += 97) {
              compress(law, Int16Array.of(heard[after + i]!), 1, one8, 0);
              assert.equal(one8[0]! & 0x7f, codes[i]! & 0x7f);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('never go past the end of the shortest array: the next one is of another call', () => {
    const [mine, others] = [allocateSamples(160), allocateSamples(160)];
    others.fill(1234);
    startSum(allocateSums(160), allocateSamples(320).fill(5));
    const sum = allocateSums(320).fill(999);
    subtractFromSum(sum, undefined, mine);
    scaleSum(sum, undefined, mine, 1, 0, 1);
    expand(expandMu, allocateBytes(320), 0, 320, mine, 0);
    copySamples(allocateSamples(320).fill(9), 0, 320, mine, 0);
    assert.deepEqual([...others], Array(160).fill(1234));
    const [few, next] = [allocateBytes(64), allocateBytes(64)];
    next.fill(7);
    compress(compressMu, mine, 160, few, 0);
    copyBytes(allocateBytes(128), 0, 128, few, 0);
    assert.deepEqual([...next], Array(64).fill(7));
  });

  it('copy parts between all kinds of memory', () => {
    for (const one of Object.values(memories)) {
      for (const other of Object.values(memories)) {
        const samples = filled(one.samples(30), (i) => i - 15);
        const target = other.samples(30);
        copySamples(samples, 3, 20, target, 7);
        assert.deepEqual([...target.subarray(7, 27)], [...samples.subarray(3, 23)]);
        assert.deepEqual([target[6], target[27]], [0, 0]);
        const bytes = filled(one.bytes(30), (i) => i);
        const copy = other.bytes(30);
        copyBytes(bytes, 1, 9, copy, 20);
        assert.deepEqual([...copy.subarray(20, 29)], [...bytes.subarray(1, 10)]);
        assert.deepEqual([copy[19], copy[29]], [0, 0]);
      }
    }
  });
});
