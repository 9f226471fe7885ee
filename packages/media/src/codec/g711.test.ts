import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AudioCodec } from './audio-codec.ts';
import { codecFor } from './codec-for.ts';
import { pcma, pcmu } from './g711.ts';

const allCodes = Uint8Array.from({ length: 256 }, (_, code) => code);

function decodeAll(codec: AudioCodec): Int16Array {
  const samples = new Int16Array(256);
  assert.equal(codec.decode(allCodes, 0, 256, samples), 256);
  return samples;
}

function encodeOne(codec: AudioCodec, sample: number): number {
  const out = new Uint8Array(1);
  codec.encode(Int16Array.of(sample), 1, out, 0);
  return out[0]!;
}

describe('G.711', () => {
  it('decodes the ends of every segment as in ITU-T G.711 Tables 1 and 2', () => {
    const mu = decodeAll(pcmu);
    // Table 2a: decoder outputs y in 14 bits are 0, 2, 30, 33, 93, 99, 219, 231, …, 8031.
    const muTable = [
      [0xff, 0], [0xfe, 2], [0xf0, 30], [0xef, 33], [0xe0, 93], [0xdf, 99], [0xd0, 219], [0xcf, 231],
      [0xc0, 471], [0xbf, 495], [0xb0, 975], [0xaf, 1023], [0xa0, 1983], [0x9f, 2079], [0x90, 3999],
      [0x8f, 4191], [0x80, 8031],
    ] as const; // biome-ignore format: a table
    for (const [code, value] of muTable) {
      assert.equal(mu[code], value * 4, `µ ${code.toString(16)}`);
      assert.equal(mu[code & 0x7f]! + 0, -value * 4 + 0);
    }
    const a = decodeAll(pcma);
    // Table 1a: decoder outputs y in 13 bits are 1, 3, 31, 33, 63, 66, 126, 132, …, 4032; even bits are inverted on the line.
    const aTable = [
      [0x80, 1], [0x81, 3], [0x8f, 31], [0x90, 33], [0x9f, 63], [0xa0, 66], [0xaf, 126], [0xb0, 132],
      [0xbf, 252], [0xc0, 264], [0xcf, 504], [0xd0, 528], [0xdf, 1008], [0xe0, 1056], [0xef, 2016],
      [0xf0, 2112], [0xff, 4032],
    ] as const; // biome-ignore format: a table
    for (const [code, value] of aTable) {
      assert.equal(a[code ^ 0x55], value * 8, `A ${code.toString(16)}`);
      assert.equal(a[(code & 0x7f) ^ 0x55], -value * 8);
    }
  });

  it('the digital milliwatt of G.711 Tables 5 and 6 is a sine of 1 kHz at 0 dBm0', () => {
    const sequences = [
      [pcma, [0x34, 0x21, 0x21, 0x34, 0xb4, 0xa1, 0xa1, 0xb4], 3.14, 4096 * 8],
      [pcmu, [0x1e, 0x0b, 0x0b, 0x1e, 0x9e, 0x8b, 0x8b, 0x9e], 3.17, 8159 * 4],
    ] as const;
    for (const [codec, codes, overloadDb, overload] of sequences) {
      const samples = new Int16Array(8);
      codec.decode(Uint8Array.from(codes), 0, 8, samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / 8;
      const belowOverloadDb = -10 * Math.log10(power / (overload ** 2 / 2));
      assert.ok(Math.abs(belowOverloadDb - overloadDb) < 0.03, `${codec.name} ${belowOverloadDb}`);
      // All of it is at 1 kHz: the eight samples are one period.
      let sine = 0;
      let cosine = 0;
      for (let i = 0; i < 8; i++) {
        sine += samples[i]! * Math.sin((Math.PI * i) / 4);
        cosine += samples[i]! * Math.cos((Math.PI * i) / 4);
      }
      assert.ok((sine ** 2 + cosine ** 2) / 32 / power > 0.999);
      const back = new Uint8Array(8);
      codec.encode(samples, 8, back, 0);
      assert.deepEqual([...back], [...codes]);
    }
  });

  for (const codec of [pcmu, pcma]) {
    it(`${codec.name}: every code is preserved by decoding and encoding, except µ-law's negative zero`, () => {
      const samples = decodeAll(codec);
      for (let code = 0; code < 256; code++) {
        const expected = codec === pcmu && code === 0x7f ? 0xff : code;
        assert.equal(encodeOne(codec, samples[code]!), expected);
      }
    });

    it(`${codec.name}: every sample of 16 bits is off by half a step of its segment at most, and order is kept`, () => {
      const all = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768);
      const codes = new Uint8Array(65_536);
      codec.encode(all, 65_536, codes, 0);
      const decoded = new Int16Array(65_536);
      codec.decode(codes, 0, 65_536, decoded);
      const [greatest, unseen] = codec === pcmu ? [32_124, 4] : [32_256, 16];
      for (let i = 0; i < 65_536; i++) {
        assert.ok(i === 0 || decoded[i]! >= decoded[i - 1]!);
        const segment = codec === pcmu ? (~codes[i]! >> 4) & 7 : ((codes[i]! ^ 0x55) >> 4) & 7;
        const step = codec === pcmu ? 8 << segment : 16 << Math.max(segment - 1, 0);
        const error = Math.abs(decoded[i]! - all[i]!);
        const isOverload = Math.abs(all[i]!) > greatest && Math.abs(decoded[i]!) === greatest;
        assert.ok(isOverload || error <= step / 2 + unseen, `${all[i]} became ${decoded[i]}`);
      }
    });
  }

  it('writes and reads at offsets, and never more than fits', () => {
    const out = new Uint8Array(6);
    assert.equal(pcmu.encode(Int16Array.of(0, 0), 2, out, 3), 2);
    assert.deepEqual([...out], [0, 0, 0, 255, 255, 0]);
    const samples = new Int16Array(3).fill(7);
    assert.equal(pcmu.decode(out, 3, 2, samples, 1), 2);
    assert.deepEqual([...samples], [7, 0, 0]);
    assert.equal(pcmu.decode(new Uint8Array(100), 0, 100, samples, 1), 2);
  });
});

it('codecs are found by their RTP name without case', () => {
  assert.equal(codecFor('pcmu'), pcmu);
  assert.equal(codecFor('PCMA'), pcma);
  assert.equal(codecFor('opus'), undefined);
  assert.equal(codecFor('constructor'), undefined);
});
