import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createReportBlock, readRtcp, writeRtcp } from './rtcp.ts';

const block = {
  ssrc: 0xdeadbeef,
  fractionLost: 64,
  cumulativeLost: -3,
  extendedHighestSequenceNumber: 0x0001ffff,
  jitter: 12,
  lastSenderReport: 0xb7052000,
  delaySinceLastSenderReport: 0x00054000,
};
const sender = {
  ntpSeconds: 0xb44db705,
  ntpFraction: 0x20000000,
  rtpTimestamp: 3_000_000_000,
  packets: 1000,
  octets: 160_000,
};

function compound(hex: string) {
  const bytes = Uint8Array.from(hex.replaceAll(' ', '').match(/../g) ?? [], (pair) =>
    Number.parseInt(pair, 16),
  );
  return readRtcp(bytes, bytes.length);
}

describe('writeRtcp and readRtcp', () => {
  it('a sender report with a block, the canonical name and BYE are read as written (RFC 3550 §6.4–6.6)', () => {
    for (const cname of ['', 'a', 'ab', 'abc', 'abcd', 'x'.repeat(255)]) {
      const out = new Uint8Array(400).fill(0xff);
      const length = writeRtcp(out, 7, cname, sender, [block], true);
      assert.deepEqual(readRtcp(out, length), [
        { type: 'sender-report', ssrc: 7, sender, reports: [block] },
        { type: 'source-description', ssrc: 7, cname },
        { type: 'goodbye', ssrcs: [7], reason: '' },
      ]);
    }
  });

  it('a participant that does not send RTP writes a receiver report (RFC 3550 §6.4.2)', () => {
    const out = new Uint8Array(200);
    const length = writeRtcp(out, 7, 'jack', undefined, [createReportBlock()]);
    assert.deepEqual(
      readRtcp(out, length)?.map(({ type }) => type),
      ['receiver-report', 'source-description'],
    );
  });

  it('a compound that does not fit is not written', () => {
    assert.equal(writeRtcp(new Uint8Array(20), 7, 'jack', sender, [block]), -1);
    assert.equal(writeRtcp(new Uint8Array(2000), 7, 'x'.repeat(256), sender, []), -1);
    assert.equal(writeRtcp(new Uint8Array(2000), 7, '', sender, new Array(32).fill(block)), -1);
  });
});

describe('readRtcp', () => {
  it('reads the reason of BYE, and skips unknown items', () => {
    assert.deepEqual(compound('80c90001 00000007  81cb0002 00000009 03627965  80cc0002 00000009 41414141'), [
      { type: 'receiver-report', ssrc: 7, reports: [] },
      { type: 'goodbye', ssrcs: [9], reason: 'bye' },
      { type: 'other', packetType: 204 },
    ]);
  });

  it('allows padding in the last packet only (RFC 3550 A.2)', () => {
    assert.equal(compound('a0c90002 00000007 00000004')?.length, 1);
    assert.equal(compound('a0c90002 00000007 00000004 80c90001 00000007'), undefined);
    assert.equal(compound('a0c90002 00000007 00000000'), undefined);
    assert.equal(compound('a0c90002 00000007 00000010'), undefined);
  });

  for (const [why, hex] of [
    ['a first packet that is not a report', '80ca0001 00000000'],
    ['another version', '40c90001 00000007'],
    ['a length past the end', '80c90002 00000007'],
    ['more blocks than there are', '81c90001 00000007'],
    ['half a word', '80c90001 00000007 00'],
    ['a rest too short for a header', '80c90001 00000007 80cb'],
    ['a sender report without its numbers', '80c80001 00000007'],
    ['BYE of more sources than it lists', '80c90001 00000007 82cb0001 00000001'],
    ['a name past the end', '80c90001 00000007 81ca0002 00000007 01ff6161'],
    ['a chunk without an end', '80c90001 00000007 81ca0002 00000007 01026161'],
    ['two chunks where there is one', '80c90001 00000007 82ca0002 00000007 00000000'],
  ] as const) {
    it(`refuses ${why} (RFC 3550 A.2)`, () => assert.equal(compound(hex), undefined));
  }

  it('refuses a compound with more packets than the limit', () => {
    const one = '80c90001 00000007';
    assert.equal(compound(one.repeat(16))?.length, 16);
    assert.equal(compound(one.repeat(17)), undefined);
  });

  it('does not throw for any bytes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 4, maxLength: 40 }), { maxLength: 5 }),
        fc.constantFrom(200, 201, 202, 203, 204),
        (parts, type) => {
          const bytes = new Uint8Array(parts.reduce((sum, part) => sum + (part.length & ~3), 0));
          let at = 0;
          for (const [i, part] of parts.entries()) {
            const length = part.length & ~3;
            bytes.set(part.subarray(0, length), at);
            // The headers are valid; the contents are random.
            bytes[at] = 0x80 | (part[0]! & 0x23);
            bytes[at + 1] = i === 0 ? 200 + (part[1]! & 1) : type;
            bytes[at + 2] = 0;
            bytes[at + 3] = length / 4 - 1;
            at += length;
          }
          const packets = readRtcp(bytes, bytes.length);
          assert.ok(packets === undefined || packets.length <= 16 * 31);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
