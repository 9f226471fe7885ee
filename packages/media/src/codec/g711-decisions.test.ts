import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AudioCodec } from './audio-codec.ts';
import { pcma, pcmu } from './g711.ts';

/*
 * G.711 defines a law by its decision values: a sample between two of them has one code. Here they are built by adding up the
 * intervals of each segment, without the shifts and masks of the codec.
 */

/** Decision values of µ-law in 14 bits (Table 2a, x₁ to x₁₂₈): intervals of 2, after a first one of 1, doubled by each segment. */
function muDecisions(): number[] {
  const values = [0, 1];
  for (let segment = 0; segment < 8; segment++) {
    const intervals = segment === 0 ? 15 : 16;
    for (let n = 0; n < intervals; n++) values.push(values.at(-1)! + 2 * 2 ** segment);
  }
  return values;
}

/** Decision values of A-law in 13 bits (Table 1a): two segments with intervals of 2, then doubled. */
function aDecisions(): number[] {
  const values = [0];
  for (let segment = 0; segment < 8; segment++) {
    for (let n = 0; n < 16; n++) values.push(values.at(-1)! + 2 * 2 ** Math.max(0, segment - 1));
  }
  return values;
}

const laws = [
  // µ-law: all bits inverted, positive values from 0xff down.
  { codec: pcmu, decisions: muDecisions(), unit: 4, bits: 14, code: (interval: number) => 0xff - interval },
  // A-law: even bits inverted, positive values from 0x80 up.
  {
    codec: pcma,
    decisions: aDecisions(),
    unit: 8,
    bits: 13,
    code: (interval: number) => (0x80 + interval) ^ 0x55,
  },
] as const;

function encodedOne(codec: AudioCodec, sample: number): number {
  const out = new Uint8Array(1);
  codec.encode(Int16Array.of(sample), 1, out, 0);
  return out[0]!;
}

function decodedOne(codec: AudioCodec, code: number): number {
  const out = new Int16Array(1);
  codec.decode(Uint8Array.of(code), 0, 1, out);
  return out[0]!;
}

for (const { codec, decisions, unit, bits, code } of laws) {
  describe(`${codec.name} by the decision values of ITU-T G.711`, () => {
    it(`the last decision value is that of the table in ${bits} bits`, () => {
      assert.equal(decisions.length, 129);
      assert.equal(decisions.at(-1), codec === pcmu ? 8159 : 4096);
    });

    it('each interval has the next code: its first and its last sample, and above the last decision the same code', () => {
      for (let interval = 0; interval < 128; interval++) {
        const first = decisions[interval]! * unit;
        const last = Math.min(decisions[interval + 1]! * unit - 1, 32_767);
        assert.equal(encodedOne(codec, first), code(interval), `${first}`);
        assert.equal(encodedOne(codec, last), code(interval), `${last}`);
      }
      assert.equal(encodedOne(codec, 32_767), code(127));
    });

    it('a negative sample has the code of its mirror image around −½ with the sign bit 0', () => {
      for (let interval = 0; interval < 128; interval++) {
        const first = -1 - decisions[interval]! * unit;
        const last = Math.max(-decisions[interval + 1]! * unit, -32_768);
        assert.equal(encodedOne(codec, first), code(interval) ^ 0x80, `${first}`);
        assert.equal(encodedOne(codec, last), code(interval) ^ 0x80, `${last}`);
      }
      assert.equal(encodedOne(codec, -32_768), code(127) ^ 0x80);
    });

    it('each code is decoded as the middle of its interval, with either sign', () => {
      for (let interval = 0; interval < 128; interval++) {
        const [from, to] = [decisions[interval]!, decisions[interval + 1]!];
        // Table 2a: the first output of µ-law is 0, not the middle of 0 and 1.
        const middle = codec === pcmu && interval === 0 ? 0 : ((from + to) / 2) * unit;
        assert.equal(decodedOne(codec, code(interval)), middle);
        assert.equal(decodedOne(codec, code(interval) ^ 0x80) + 0, -middle + 0);
      }
    });

    it('a frame is as long as its samples, at 8 kHz, and is shared between listeners', () => {
      const { clockRate, sampleRate, frameSamples, frameBytes, remembers } = codec;
      assert.deepEqual(
        [clockRate, sampleRate, frameSamples, frameBytes, remembers],
        [8000, 8000, 160, 160, false],
      );
      assert.equal(codec.samplesIn(240, new Uint8Array(0), 0), 240);
    });
  });
}
