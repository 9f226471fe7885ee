import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  createRtpHeader,
  looksLikeRtcp,
  readRtpPacket,
  rtpHeaderBytes,
  writeRtpHeader,
} from './rtp-packet.ts';
import { sequenceDistance, timestampDistance } from './serial-number.ts';

const header = createRtpHeader();

/** A packet in hex, spaces ignored. */
function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.replaceAll(' ', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

const read = (hex: string) => readRtpPacket(bytes(hex), bytes(hex).length, header);

describe('readRtpPacket', () => {
  it('reads the fixed header (RFC 3550 §5.1)', () => {
    assert.ok(read('80 88 fffe fedcba98 89abcdef aabbcc'));
    const { marker, payloadType, sequenceNumber, timestamp, ssrc, payloadOffset, payloadLength } = header;
    assert.deepEqual([marker, payloadType, sequenceNumber], [true, 8, 0xfffe]);
    assert.deepEqual([timestamp, ssrc], [0xfedcba98, 0x89abcdef]);
    assert.deepEqual([payloadOffset, payloadLength], [12, 3]);
  });

  it('skips CSRCs and the header extension, and removes padding (RFC 3550 §5.1, §5.3.1)', () => {
    assert.ok(read('b2 00 0001 00000002 00000003 11111111 22222222 bede0001 01020304 aabb 0002'));
    assert.deepEqual([header.csrcCount, header.extension, header.padding], [2, true, true]);
    assert.deepEqual([header.payloadOffset, header.payloadLength], [28, 2]);
  });

  it('accepts a packet without payload', () => {
    assert.ok(read('80 00 0001 00000002 00000003'));
    assert.equal(header.payloadLength, 0);
  });

  for (const [why, hex] of [
    ['shorter than a header', '80 00 0001 00000002 000000'],
    ['another version', '40 00 0001 00000002 00000003 aa'],
    ['CSRCs past the end', '81 00 0001 00000002 00000003 aabbcc'],
    ['an extension without its own header', '90 00 0001 00000002 00000003 bede'],
    ['an extension past the end', '90 00 0001 00000002 00000003 bede0002 00000000'],
    ['padding of zero bytes', 'a0 00 0001 00000002 00000003 aa00'],
    ['padding longer than the payload', 'a0 00 0001 00000002 00000003 aa03'],
    ['padding with nothing to hold its count', 'a0 00 0001 00000002 00000003'],
  ] as const) {
    it(`refuses ${why} (RFC 3550 A.1)`, () => assert.equal(read(hex), false));
  }

  it('never reads beyond the given length', () => {
    assert.equal(readRtpPacket(bytes('a0 00 0001 00000002 00000003 aa01'), 13, header), false);
    assert.equal(readRtpPacket(bytes('80 00'), 12, header), false);
  });

  it('does not throw for any bytes, and an accepted payload is within them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (random, isRtp) => {
        if (isRtp && random.length > 0) random[0] = 0x80 | (random[0]! & 0x3f);
        if (!readRtpPacket(random, random.length, header)) return;
        assert.ok(header.payloadOffset >= rtpHeaderBytes && header.payloadLength >= 0);
        assert.ok(header.payloadOffset + header.payloadLength <= random.length);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('writeRtpHeader', () => {
  it('is the inverse of reading', () => {
    const field = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 });
    fc.assert(
      fc.property(field(7), fc.boolean(), field(16), field(32), field(32), (type, marker, seq, ts, ssrc) => {
        const out = new Uint8Array(20).fill(0xff);
        assert.equal(writeRtpHeader(out, type, marker, seq, ts, ssrc), 12);
        assert.ok(readRtpPacket(out, 20, header));
        assert.deepEqual(
          [header.payloadType, header.marker, header.sequenceNumber, header.timestamp, header.ssrc],
          [type, marker, seq, ts, ssrc],
        );
        assert.equal(header.payloadLength, 8);
      }),
    );
  });
});

it('RTCP on the same port is recognised by its packet type 192–223 (RFC 5761 §4)', () => {
  assert.equal(looksLikeRtcp(bytes('80c80006'), 4), true);
  assert.equal(looksLikeRtcp(bytes('81cb0001'), 4), true);
  assert.equal(looksLikeRtcp(bytes('80000001'), 4), false);
  assert.equal(looksLikeRtcp(bytes('80e00001'), 4), false);
  assert.equal(looksLikeRtcp(bytes('80c800'), 3), false);
});

it('the distance of serial numbers is the shorter way around the wrap (RFC 1982)', () => {
  assert.equal(sequenceDistance(65_535, 0), 1);
  assert.equal(sequenceDistance(0, 65_535), -1);
  assert.equal(sequenceDistance(10, 5), -5);
  assert.equal(timestampDistance(0xffffff00, 0x100), 0x200);
  assert.equal(timestampDistance(0x100, 0xffffff00), -0x200);
});
