import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pcmu } from '../codec/g711.ts';
import { G722 } from '../codec/g722/g722.ts';
import { l16 } from '../codec/l16.ts';
import { createRtpHeader, looksLikeRtcp, readRtpPacket, writeRtpHeader } from './rtp-packet.ts';
import { createRtpSender, type RtpSender } from './rtp-sender.ts';
import { sequenceDistance, timestampDistance } from './serial-number.ts';
import { bytesOf, hexOf } from './testing/hex.ts';

const header = createRtpHeader();
const words = (count: number): string => '11223344'.repeat(count);

describe('the parts of a read RTP packet (RFC 3550 §5.1)', () => {
  for (const [rule, hex, offset, length] of [
    ['15 CSRCs, the most', `8f 00 0001 00000002 00000003 ${words(15)} aabb`, 72, 2],
    ['15 CSRCs and an empty extension', `9f 00 0001 00000002 00000003 ${words(15)} bede0000 aa`, 76, 1],
    ['an extension without words', '90 00 0001 00000002 00000003 bede0000 aabbcc', 16, 3],
    [
      'an extension of 256 words: the length has 16 bits',
      `90 00 0001 00000002 00000003 bede0100 ${words(256)} aa`,
      1040,
      1,
    ],
    ['an extension up to the end leaves no payload', '90 00 0001 00000002 00000003 bede0001 11223344', 20, 0],
    ['padding of one byte, which counts itself', 'a0 00 0001 00000002 00000003 aabb01', 12, 2],
    ['padding that is all of the payload', 'a0 00 0001 00000002 00000003 000003', 12, 0],
    ['padding of 255 bytes, the most', `a0 00 0001 00000002 00000003 aa ${'00'.repeat(254)} ff`, 12, 1],
  ] as const) {
    it(rule, () => {
      const bytes = bytesOf(hex);
      assert.ok(readRtpPacket(bytes, bytes.length, header));
      assert.deepEqual([header.payloadOffset, header.payloadLength], [offset, length]);
    });
  }

  for (const [rule, first, expected] of [
    ['only the version is set', '80', [2, false, false, 0]],
    ['P alone', 'a0', [2, true, false, 0]],
    ['X alone', '90', [2, false, true, 0]],
    ['CC alone', '81', [2, false, false, 1]],
  ] as const) {
    it(`of the first byte: ${rule}`, () => {
      const bytes = bytesOf(`${first} 00 0001 00000002 00000003 00000000 00000001`);
      assert.ok(readRtpPacket(bytes, bytes.length, header));
      assert.deepEqual([header.version, header.padding, header.extension, header.csrcCount], expected);
    });
  }

  for (const [rule, second, marker, payloadType] of [
    ['type 127 without marker', '7f', false, 127],
    ['type 0 with marker', '80', true, 0],
    ['all bits', 'ff', true, 127],
  ] as const) {
    it(`of the second byte: ${rule}`, () => {
      assert.ok(readRtpPacket(bytesOf(`80 ${second} 0001 00000002 00000003`), 12, header));
      assert.deepEqual([header.marker, header.payloadType], [marker, payloadType]);
    });
  }

  it('a refused packet is refused for its given length, although the buffer goes on', () => {
    const bytes = bytesOf('90 00 0001 00000002 00000003 bede0001 11223344 aa');
    assert.deepEqual(
      [11, 12, 15, 16, 19, 20, 21, 22].map((length) => readRtpPacket(bytes, length, header)),
      [false, false, false, false, false, true, true, false],
    );
  });

  it('a refused packet leaves the header of the one before as it was', () => {
    assert.ok(readRtpPacket(bytesOf('80 88 fffe fedcba98 89abcdef aa'), 13, header));
    const before = { ...header };
    assert.equal(readRtpPacket(bytesOf('a0 00 0001 00000002 00000003 aa09'), 14, header), false);
    assert.deepEqual(header, before);
  });
});

describe('a written header', () => {
  for (const [rule, fields, hex] of [
    [
      'numbers beyond their width are taken modulo it',
      [128, false, 65_536 + 2, 2 ** 32 + 3, 2 ** 32 + 4],
      '80000002 00000003 00000004',
    ],
    ['the type 127 with a marker', [127, true, 0, 0, 0], '80ff0000 00000000 00000000'],
    ['each byte at its offset', [96, false, 0x0102, 0x03040506, 0x0708090a], '80600102 03040506 0708090a'],
  ] as const) {
    it(rule, () => {
      const out = new Uint8Array(12).fill(0x55);
      const [type, marker, sequence, timestamp, ssrc] = fields;
      writeRtpHeader(out, type, marker, sequence, timestamp, ssrc);
      assert.equal(hexOf(out), hex.replaceAll(' ', ''));
    });
  }
});

describe('RTCP beside RTP on one port (RFC 5761 §4)', () => {
  for (const [hex, expected] of [
    ['80bf0001', false],
    ['80c00001', true],
    ['80df0001', true],
    ['80e00001', false],
    ['40c80001', false],
    ['c0c80001', false],
    ['bfc80001', true],
  ] as const) {
    it(`${hex} is ${expected ? '' : 'not '}RTCP`, () =>
      assert.equal(looksLikeRtcp(bytesOf(hex), 4), expected));
  }

  it('three bytes are neither', () => assert.equal(looksLikeRtcp(bytesOf('80c80001'), 3), false));
});

describe('serial numbers (RFC 1982 §3.2)', () => {
  for (const [from, to, distance] of [
    [0, 0x7fff, 0x7fff],
    [0, 0x8000, -0x8000],
    [0, 0x8001, -0x7fff],
    [0xfffe, 1, 3],
    [1, 0xfffe, -3],
    [7, 7, 0],
  ] as const) {
    it(`from sequence number ${from} to ${to} it is ${distance}`, () =>
      assert.equal(sequenceDistance(from, to), distance));
  }
  for (const [from, to, distance] of [
    [0, 0x7fffffff, 0x7fffffff],
    [0, 0x80000000, -0x80000000],
    [0xffffffff, 0, 1],
    [0, 0xffffffff, -1],
    [0x80000000, 0x80000000, 0],
  ] as const) {
    it(`from timestamp ${from} to ${to} it is ${distance}`, () =>
      assert.equal(timestampDistance(from, to), distance));
  }
});

describe('an outgoing stream beside relayed packets', () => {
  const samples = new Int16Array(160).fill(1000);
  const payload = Uint8Array.from({ length: 160 }, (_, n) => n);
  const open = (sequenceNumber = 10, timestamp = 1000): RtpSender =>
    createRtpSender({ ssrc: 1, sequenceNumber, timestamp });
  function relay(sender: RtpSender, sequenceNumber: number, timestamp: number, marker = false): void {
    assert.equal(sender.writeRelayed(0, marker, sequenceNumber, timestamp, payload, 40, 80, 80), 92);
  }
  function next(sender: RtpSender): { sequenceNumber: number; timestamp: number; marker: boolean } {
    sender.writeAudio(pcmu, 0, samples, 160);
    assert.ok(readRtpPacket(sender.packet, 172, header));
    const { sequenceNumber, timestamp, marker } = header;
    return { sequenceNumber, timestamp, marker };
  }

  for (const [rule, start, relayed, expected] of [
    ['follows the relayed packet', [10, 1000], [[10, 1000]], [11, 1080]],
    [
      'follows the newest of those that overtook each other',
      [10, 1000],
      [
        [12, 1160],
        [10, 1000],
        [11, 1080],
      ],
      [13, 1240],
    ],
    [
      'does not go back for a relayed packet that is older than the stream',
      [10, 1000],
      [[8, 840]],
      [10, 1000],
    ],
    ['leaves the numbers of lost packets out', [10, 1000], [[15, 1400]], [16, 1480]],
    [
      'follows over the wrap of the number',
      [65_535, 1000],
      [
        [65_535, 1000],
        [0, 1080],
      ],
      [1, 1160],
    ],
    ['does not go back over the wrap of the number', [1, 1000], [[65_534, 760]], [1, 1000]],
    ['follows over the wrap of the timestamp', [10, 0xffffffb0], [[10, 0xffffffb0]], [11, 0]],
    ['does not go back over the wrap of the timestamp', [10, 80], [[9, 0xffffff00]], [10, 80]],
    ['keeps its timestamp when a relayed packet ends exactly there', [10, 1000], [[9, 920]], [10, 1000]],
  ] as const) {
    it(`the next packet ${rule}`, () => {
      const sender = open(...start);
      for (const [sequenceNumber, timestamp] of relayed) relay(sender, sequenceNumber, timestamp);
      const { sequenceNumber, timestamp } = next(sender);
      assert.deepEqual([sequenceNumber, timestamp], expected);
    });
  }

  it('a relayed packet has its own marker, number and timestamp and the given part of the payload', () => {
    const sender = open();
    relay(sender, 300, 9000, true);
    assert.equal(hexOf(sender.packet.subarray(0, 16)), '8080012c000023280000000128292a2b');
    assert.deepEqual([sender.packetsSent, sender.octetsSent], [1, 80]);
  });

  it('relayed audio continues a talkspurt: the packet after it has no marker', () => {
    const sender = open();
    relay(sender, 10, 1000);
    assert.equal(next(sender).marker, false);
    sender.skip(160);
    relay(sender, 12, 1400);
    assert.equal(next(sender).marker, false);
  });
});

describe('the clock of an outgoing stream', () => {
  for (const [rule, codec, count, step] of [
    ['8 kHz for G.722 at 16 kHz (RFC 3551 §4.5.2)', new G722(), 320, 160],
    ['the sample rate for G.711', pcmu, 160, 160],
    ['the sample rate for L16', l16(48_000)!, 960, 960],
    ['the count, not the frame, for a shorter packet', pcmu, 80, 80],
  ] as const) {
    it(`advances at ${rule}`, () => {
      const packet = new Uint8Array(2000);
      const sender = createRtpSender({ ssrc: 1, sequenceNumber: 0, timestamp: 0, packet });
      sender.writeAudio(codec, 0, new Int16Array(960), count);
      assert.equal(sender.timestamp, step);
    });
  }

  it('options beyond the width of their fields are taken modulo it, and negative ones are unsigned', () => {
    const sender = createRtpSender({ ssrc: -1, sequenceNumber: 65_536 + 5, timestamp: -1 });
    assert.deepEqual([sender.ssrc, sender.sequenceNumber, sender.timestamp], [0xffffffff, 5, 0xffffffff]);
  });

  it('packets and octets wrap at 2³² (RFC 3550 §6.4.1)', () => {
    const sender = createRtpSender({
      ssrc: 1,
      sequenceNumber: 0,
      timestamp: 0,
      packetsSent: 0xffffffff,
      octetsSent: 0xfffffff0,
    });
    sender.writePayload(0, new Uint8Array(20), 0, 20, 160);
    assert.deepEqual([sender.packetsSent, sender.octetsSent], [0, 4]);
  });

  it('a saved stream goes on where it was, and its next packet begins a talkspurt', () => {
    const sender = createRtpSender({ ssrc: 9, sequenceNumber: 65_535, timestamp: 500 });
    sender.writePayload(0, new Uint8Array(20), 0, 20, 160);
    const other = createRtpSender(sender.save());
    assert.deepEqual(other.save(), {
      ssrc: 9,
      sequenceNumber: 0,
      timestamp: 660,
      packetsSent: 1,
      octetsSent: 20,
    });
    other.writePayload(0, new Uint8Array(20), 0, 20, 160);
    assert.ok(readRtpPacket(other.packet, 32, header));
    assert.deepEqual([header.marker, header.sequenceNumber, header.timestamp], [true, 0, 660]);
  });

  it('an event takes a number and no time', () => {
    const sender = createRtpSender({ ssrc: 9, sequenceNumber: 1, timestamp: 500 });
    sender.writeEvent(101, { event: 1, end: false, volume: 10, duration: 160 }, 500, true);
    assert.deepEqual([sender.sequenceNumber, sender.timestamp, sender.octetsSent], [2, 500, 4]);
  });
});
