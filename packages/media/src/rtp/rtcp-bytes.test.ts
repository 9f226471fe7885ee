import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReportBlock, type ReportBlock, readRtcp, type SenderInfo, writeRtcp } from './rtcp.ts';
import { bytesOf, hexOf } from './testing/hex.ts';

const receiverReport = '80c90001 00000007';

function read(hex: string) {
  const bytes = bytesOf(hex);
  return readRtcp(bytes, bytes.length);
}

function written(
  reports: readonly ReportBlock[],
  { ssrc = 7, cname = '', from = undefined as SenderInfo | undefined, goodbye = false } = {},
): string {
  const out = new Uint8Array(1500).fill(0xee);
  return hexOf(out.subarray(0, writeRtcp(out, ssrc, cname, from, reports, goodbye)));
}

const sender = {
  ntpSeconds: 0x83aa7e80,
  ntpFraction: 0x80000000,
  rtpTimestamp: 0xfffffff6,
  packets: 2,
  octets: 0x140,
};

/** All fields with their highest bit set, but for the sign of the loss. */
const greatest: ReportBlock = {
  ssrc: 0xfffffffe,
  fractionLost: 255,
  cumulativeLost: 0x7fffff,
  extendedHighestSequenceNumber: 0xffffffff,
  jitter: 0xffffffff,
  lastSenderReport: 0xffffffff,
  delaySinceLastSenderReport: 0xffffffff,
};
const usual: ReportBlock = {
  ssrc: 0xdeadbeef,
  fractionLost: 64,
  cumulativeLost: -3,
  extendedHighestSequenceNumber: 0x1ffff,
  jitter: 12,
  lastSenderReport: 0xb7052000,
  delaySinceLastSenderReport: 0x54000,
};
const noName = '81ca0002 00000007 01000000';

describe('a written compound, byte by byte (RFC 3550 §6.4–6.6)', () => {
  for (const [what, hex, actual] of [
    [
      'sender report without blocks: 28 bytes, six words after its first',
      `80c80006 00000007 83aa7e80 80000000 fffffff6 00000002 00000140 ${noName}`,
      () => written([], { from: sender }),
    ],
    [
      'receiver report, and a name of one character with a zero after it',
      '80c90001 89abcdef  81ca0002 89abcdef 01016100',
      () => written([], { ssrc: 0x89abcdef, cname: 'a' }),
    ],
    [
      'a name whose item ends at a word has a whole word of zeros',
      '80c90001 00000007  81ca0003 00000007 01026162 00000000',
      () => written([], { cname: 'ab' }),
    ],
    [
      'a name of three characters',
      '80c90001 00000007  81ca0003 00000007 01036162 63000000',
      () => written([], { cname: 'abc' }),
    ],
    [
      'BYE lists the source once',
      `80c90001 00000007 ${noName} 81cb0001 00000007`,
      () => written([], { goodbye: true }),
    ],
    [
      'a block: fraction above a loss of 24 bits with its sign',
      `81c90007 00000007  deadbeef 40fffffd 0001ffff 0000000c b7052000 00054000 ${noName}`,
      () => written([usual]),
    ],
    [
      'fields with their highest bit set are unsigned',
      `81c90007 00000007  fffffffe ff7fffff ffffffff ffffffff ffffffff ffffffff ${noName}`,
      () => written([greatest]),
    ],
    [
      'a second block follows the first',
      `82c9000d 00000007  deadbeef 40fffffd 0001ffff 0000000c b7052000 00054000
        fffffffe ff7fffff ffffffff ffffffff ffffffff ffffffff ${noName}`,
      () => written([usual, greatest]),
    ],
  ] as const) {
    it(what, () => assert.equal(actual(), hex.replaceAll(/\s/g, '')));
  }
});

describe('the parts of a written compound', () => {
  it('characters beyond ASCII keep their low seven bits, so the length stays that of the name', () => {
    assert.match(written([], { cname: 'é' }), /81ca00020000000701016900$/);
  });

  it('a buffer of exactly the size suffices, and one byte less does not', () => {
    const blocks = [createReportBlock(), createReportBlock()];
    for (const [bytes, from, reports, goodbye] of [
      [8 + 4 + 8, undefined, [], false],
      [28 + 4 + 8, sender, [], false],
      [28 + 48 + 4 + 8 + 8, sender, blocks, true],
    ] as const) {
      assert.equal(writeRtcp(new Uint8Array(bytes), 7, 'a', from, reports, goodbye), bytes);
      assert.equal(writeRtcp(new Uint8Array(bytes - 1), 7, 'a', from, reports, goodbye), -1);
    }
  });

  it('31 blocks are the most, which is what five bits count', () => {
    const out = new Uint8Array(1500);
    const blocks = Array.from({ length: 31 }, (_, n) => ({ ...createReportBlock(), ssrc: n }));
    const length = writeRtcp(out, 7, 'x', undefined, blocks);
    const [report] = readRtcp(out, length)!;
    assert.ok(report?.type === 'receiver-report');
    assert.deepEqual(
      report.reports.map(({ ssrc }) => ssrc),
      blocks.map(({ ssrc }) => ssrc),
    );
  });
});

describe('a read compound', () => {
  it('a loss is read with its sign: −1, the least and the greatest', () => {
    for (const [hex, lost] of [
      ['00ffffff', -1],
      ['00800000', -0x800000],
      ['007fffff', 0x7fffff],
      ['ff000000', 0],
    ] as const) {
      const [report] = read(`81c90007 00000007 00000001 ${hex} 00000000 00000000 00000000 00000000`)!;
      assert.ok(report?.type === 'receiver-report');
      assert.equal(report.reports[0]!.cumulativeLost, lost, hex);
      assert.equal(report.reports[0]!.fractionLost, Number.parseInt(hex.slice(0, 2), 16));
    }
  });

  it('bytes after the blocks of a report are a profile-specific extension, and are skipped (RFC 3550 §6.4.3)', () => {
    assert.deepEqual(read('80c90003 00000007 aaaaaaaa bbbbbbbb  80cb0000'), [
      { type: 'receiver-report', ssrc: 7, reports: [] },
      { type: 'goodbye', ssrcs: [], reason: '' },
    ]);
  });

  for (const [rule, hex, expected] of [
    [
      'of several chunks each has its own name (§6.5)',
      '82ca0005 00000001 01026161 00000000 00000002 01016200',
      [
        { type: 'source-description', ssrc: 1, cname: 'aa' },
        { type: 'source-description', ssrc: 2, cname: 'b' },
      ],
    ],
    [
      'a chunk without a canonical name has an empty one',
      '81ca0003 00000001 02016e03 01740000',
      [{ type: 'source-description', ssrc: 1, cname: '' }],
    ],
    [
      'the canonical name may follow other items',
      '81ca0003 00000001 0201 6e 0102 6364 00',
      [{ type: 'source-description', ssrc: 1, cname: 'cd' }],
    ],
    ['no chunks', '80ca0000', []],
    [
      'BYE of two sources and a reason',
      '82cb0004 00000001 00000002 04676f6e 65000000',
      [{ type: 'goodbye', ssrcs: [1, 2], reason: 'gone' }],
    ],
    ['BYE with an empty reason', '81cb0002 00000001 00000000', [{ type: 'goodbye', ssrcs: [1], reason: '' }]],
    ['feedback of a transport layer', '81cd0002 00000001 00000002', [{ type: 'other', packetType: 205 }]],
  ] as const) {
    it(`SDES and BYE: ${rule}`, () =>
      assert.deepEqual(read(`${receiverReport} ${hex}`), [
        { type: 'receiver-report', ssrc: 7, reports: [] },
        ...expected,
      ]));
  }

  for (const [why, hex] of [
    ['a reason that exceeds its packet by one byte', '81cb0002 00000001 04676f6e'],
    ['a reason counted where no byte is left for it', '81cb0002 00000001 ff000000'],
    ['an item whose length is beyond the packet', '81ca0002 00000001 01036162'],
    ['an item of which only the type is there', '81ca0002 00000001 02006101'],
    ['a second chunk of less than a word', '82ca0001 00000001'],
    ['a version other than 2 in a later packet', '41cb0001 00000001'],
    ['a length that ends beyond the datagram', '81cb0002 00000001'],
  ] as const) {
    it(`is refused whole for ${why} (RFC 3550 A.2)`, () =>
      assert.equal(read(`${receiverReport} ${hex}`), undefined));
  }

  it('padding is removed before blocks and chunks are counted', () => {
    assert.equal(read('a1c90007 00000007 00000001 00000000 00000000 00000000 00000000 00000004'), undefined);
    assert.deepEqual(read(`${receiverReport} a1cb0003 00000001 00000000 00000008`)?.[1], {
      type: 'goodbye',
      ssrcs: [1],
      reason: '',
    });
    for (const [why, count] of [
      ['no multiple of four', '02'],
      ['all but the first word is padding', '08'],
    ] as const) {
      const packets = read(`a0c90002 00000007 000000${count}`);
      assert.equal(packets === undefined, true, why);
    }
  });

  it('the length argument counts, not the size of the buffer', () => {
    const bytes = bytesOf(`${receiverReport} 81cb0001 00000001`);
    assert.equal(readRtcp(bytes, 8)?.length, 1);
    assert.equal(readRtcp(bytes, 16)?.length, 2);
    assert.equal(readRtcp(bytes, 12), undefined);
    assert.equal(readRtcp(bytes, 20), undefined);
    assert.equal(readRtcp(bytes, 4), undefined);
  });
});
