import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codecFor } from './codec-for.ts';
import { pcma, pcmu } from './g711.ts';
import { G722 } from './g722/g722.ts';
import { l16 } from './l16.ts';
import { opusSamples } from './opus-packet.ts';
import { readTelephoneEvent, writeTelephoneEvent } from './telephone-event.ts';

describe('codecs by their RTP name (RFC 4855 §3)', () => {
  for (const [name, rate, expected] of [
    ['PCMU', undefined, ['PCMU', 8000, 8000, 160]],
    ['pcma', undefined, ['PCMA', 8000, 8000, 160]],
    ['g722', undefined, ['G722', 8000, 16_000, 160]],
    ['L16', undefined, ['L16', 8000, 8000, 320]],
    ['l16', 16_000, ['L16', 16_000, 16_000, 640]],
    ['L16', 24_000, ['L16', 24_000, 24_000, 960]],
    ['L16', 48_000, ['L16', 48_000, 48_000, 1920]],
    ['L16', 44_100, undefined],
    ['L16', 8001, undefined],
    ['telephone-event', undefined, undefined],
    ['G729', undefined, undefined],
    ['', undefined, undefined],
  ] as const) {
    it(`${name === '' ? 'no name' : name}${rate === undefined ? '' : ` at ${rate} Hz`}: ${expected === undefined ? 'none' : expected.join(', ')}`, () => {
      const codec = rate === undefined ? codecFor(name) : codecFor(name, rate);
      const found = codec && [codec.name, codec.clockRate, codec.sampleRate, codec.frameBytes];
      assert.deepEqual(found, expected);
      // A frame of 20 ms, whatever the rate.
      if (codec !== undefined) assert.equal(codec.frameSamples * 50, codec.sampleRate);
    });
  }

  it('stateless codecs are shared, and each leg has a G.722 of its own', () => {
    assert.equal(codecFor('pcmu'), codecFor('PCMU'));
    assert.equal(codecFor('L16', 16_000), codecFor('L16', 16_000));
    assert.notEqual(codecFor('G722'), codecFor('G722'));
    assert.deepEqual(
      [pcmu, pcma, l16(8000)!, new G722()].map(({ remembers }) => remembers),
      [false, false, false, true],
    );
  });
});

describe('L16 (RFC 3551 §4.5.11)', () => {
  const codec = l16(8000)!;
  for (const [sample, high, low] of [
    [0, 0x00, 0x00],
    [1, 0x00, 0x01],
    [-1, 0xff, 0xff],
    [255, 0x00, 0xff],
    [256, 0x01, 0x00],
    [-256, 0xff, 0x00],
    [32_767, 0x7f, 0xff],
    [-32_768, 0x80, 0x00],
  ] as const) {
    it(`${sample} is two bytes, the most significant first, and the same sample again`, () => {
      const out = new Uint8Array(4).fill(9);
      assert.equal(codec.encode(Int16Array.of(sample, 5), 1, out, 1), 2);
      assert.deepEqual([...out], [9, high, low, 9]);
      const back = new Int16Array(3).fill(7);
      assert.equal(codec.decode(out, 1, 2, back, 1), 1);
      assert.deepEqual([...back], [7, sample, 7]);
    });
  }

  it('half a sample at the end is not decoded, and not more than fits', () => {
    const out = new Int16Array(2);
    assert.equal(codec.decode(Uint8Array.of(1, 2, 3), 0, 3, out), 1);
    assert.equal(codec.decode(new Uint8Array(20), 0, 20, out), 2);
    assert.equal(codec.decode(new Uint8Array(20), 0, 20, out, 2), 0);
    assert.equal(codec.samplesIn(641, new Uint8Array(0), 0), 320);
  });
});

/** RFC 6716 table 2: mode, and the duration of one frame in ms by configuration. */
const configurations: readonly (readonly [string, readonly number[]])[] = [
  ['SILK narrowband', [10, 20, 40, 60]],
  ['SILK medium band', [10, 20, 40, 60]],
  ['SILK wideband', [10, 20, 40, 60]],
  ['hybrid super-wideband', [10, 20]],
  ['hybrid fullband', [10, 20]],
  ['CELT narrowband', [2.5, 5, 10, 20]],
  ['CELT wideband', [2.5, 5, 10, 20]],
  ['CELT super-wideband', [2.5, 5, 10, 20]],
  ['CELT fullband', [2.5, 5, 10, 20]],
];

describe('the duration of an Opus packet by its first bytes (RFC 6716 §3.1, table 2)', () => {
  const durations = configurations.flatMap(([mode, all]) => all.map((ms) => ({ mode, ms })));

  it('the table has all 32 configurations', () => assert.equal(durations.length, 32));

  for (const [configuration, { mode, ms }] of durations.entries()) {
    it(`configuration ${configuration}, ${mode}: ${ms} ms a frame, one, two and up to 120 ms of them`, () => {
      const samples = ms * 48;
      const first = (code: number): number => (configuration << 3) | code;
      assert.equal(opusSamples(Uint8Array.of(first(0)), 0, 1), samples);
      assert.equal(opusSamples(Uint8Array.of(first(1), 0), 0, 2), 2 * samples);
      assert.equal(opusSamples(Uint8Array.of(first(2), 0), 0, 2), 2 * samples);
      const most = 120 / ms;
      for (const frames of [1, 2, most]) {
        // The upper bits of the second byte are for padding and variable rate.
        assert.equal(
          opusSamples(Uint8Array.of(first(3), frames | 0xc0), 0, 2),
          frames * samples,
          `${frames}`,
        );
      }
      if (most < 63)
        assert.equal(opusSamples(Uint8Array.of(first(3), most + 1), 0, 2), 0, 'R5: 120 ms at most');
    });
  }

  it('the channel bit changes no duration', () => {
    assert.equal(opusSamples(Uint8Array.of(0x0c), 0, 1), opusSamples(Uint8Array.of(0x08), 0, 1));
  });

  for (const [rule, bytes, offset, length, samples] of [
    ['no bytes have none', [], 0, 0, 0],
    ['a packet of any number of frames needs its second byte', [0x0b, 0x02], 0, 1, 0],
    ['a packet of no frames has no samples', [0x0b, 0x00], 0, 2, 0],
    ['the first byte is that at the offset', [0xff, 0xff, 0x08], 2, 1, 960],
    ['the second byte follows the offset', [0xff, 0x0b, 0x03], 1, 2, 2880],
  ] as const) {
    it(rule, () => assert.equal(opusSamples(Uint8Array.from(bytes), offset, length), samples));
  }
});

describe('a telephone event, byte by byte (RFC 4733 §2.3)', () => {
  for (const [rule, hex, event] of [
    ['the end bit alone', '00800000', { event: 0, end: true, volume: 0, duration: 0 }],
    ['the reserved bit is ignored', '00400000', { event: 0, end: false, volume: 0, duration: 0 }],
    ['the quietest level', '053f00a0', { event: 5, end: false, volume: 63, duration: 160 }],
    ['the longest duration of a flash', '10bfffff', { event: 16, end: true, volume: 63, duration: 65_535 }],
    ['an event beyond the digits', 'ff0a0001', { event: 255, end: false, volume: 10, duration: 1 }],
  ] as const) {
    it(rule, () => {
      const bytes = new Uint8Array(Buffer.from(hex, 'hex'));
      const into = { event: 1, end: !event.end, volume: 1, duration: 1 };
      assert.ok(readTelephoneEvent(bytes, 0, 4, into));
      assert.deepEqual(into, event);
      const out = new Uint8Array(6).fill(0x55);
      writeTelephoneEvent(out, 1, event);
      assert.equal(Buffer.from(out).toString('hex'), `55${hex.replace('0040', '0000')}55`);
    });
  }

  it('a volume beyond its six bits does not reach the end bit', () => {
    const out = new Uint8Array(4);
    writeTelephoneEvent(out, 0, { event: 1, end: false, volume: 0xff, duration: 0 });
    assert.equal(out[1], 0x3f);
  });

  it('a payload of several reports is read from its first (RFC 4733 §2.5.1.5)', () => {
    const into = { event: 0, end: false, volume: 0, duration: 0 };
    assert.ok(readTelephoneEvent(Uint8Array.of(1, 10, 0, 160, 2, 10, 0, 80), 0, 8, into));
    assert.equal(into.event, 1);
  });
});
