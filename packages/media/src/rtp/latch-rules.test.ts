import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLatch, type Latch, type LatchOptions } from './latch.ts';

const phone = { address: '192.0.2.1', port: 4000 };
const behindNat = { address: '10.0.0.7', port: 4000, signalledFrom: ['203.0.113.9'] };
const nat = '203.0.113.9';

function armed(
  signalled: typeof phone & { signalledFrom?: readonly string[] } = phone,
  options: LatchOptions = {},
): Latch {
  const latch = createLatch(options);
  latch.arm(signalled, 0);
  return latch;
}

/** Whether packets with these numbers are accepted, the first at `fromMs` and the others 20 ms apart. */
function feed(latch: Latch, source: string, sequences: readonly number[], fromMs = 1000, ssrc = 1): string {
  const address = source.slice(0, source.lastIndexOf(':'));
  return sequences
    .map((sequence, n) => (latch.accept(source, address, ssrc, sequence, fromMs + n * 20) ? 'y' : 'n'))
    .join('');
}

describe('a probation', () => {
  const source = '192.0.2.1:4000';
  for (const [rule, sequences, accepted] of [
    ['ends with the second packet in sequence', [7, 8, 9], 'nyy'],
    ['ends over the wrap of the number', [65_535, 0], 'ny'],
    ['continues over 15 lost packets', [7, 23], 'ny'],
    ['begins anew after 16 lost packets', [7, 24, 25], 'nny'],
    ['ignores a repeated packet', [7, 7, 8], 'nny'],
    ['ignores a packet 15 behind', [20, 5, 21], 'nny'],
    ['begins anew with a packet 16 behind: the sender has restarted', [20, 4, 5], 'nny'],
  ] as const) {
    it(rule, () => assert.equal(feed(armed(), source, sequences), accepted));
  }

  it('begins anew with another SSRC of the same source', () => {
    const latch = armed();
    feed(latch, source, [7]);
    assert.equal(feed(latch, source, [8], 1020, 2), 'n');
    assert.equal(feed(latch, source, [9], 1040, 2), 'y');
  });

  for (const [rule, options, from, sequences, accepted] of [
    [
      'of the signalled source has as many packets as the option says',
      { probation: 4 },
      source,
      [1, 2, 3, 4],
      'nnny',
    ],
    ['of one packet accepts at once', { probation: 1 }, source, [1], 'y'],
    ['of another port of the phone has one packet more', {}, '192.0.2.1:4001', [1, 2, 3], 'nny'],
    [
      'of another port has its own option',
      { probationElsewhere: 5 },
      '192.0.2.1:4001',
      [1, 2, 3, 4, 5],
      'nnnny',
    ],
  ] as const) {
    it(rule, () => assert.equal(feed(armed(phone, options), from, sequences), accepted));
  }

  it('of four sources goes on while they alternate, and a fifth replaces the source with the oldest packet', () => {
    const latch = armed(phone, { probationElsewhere: 3 });
    const others = [1, 2, 3, 4].map((n) => `192.0.2.1:500${n}`);
    for (const [n, other] of others.entries()) assert.equal(feed(latch, other, [10], 1000 + n), 'n');
    assert.equal(feed(latch, others[0]!, [11], 1010), 'n');
    assert.equal(feed(latch, '192.0.2.1:5005', [10], 1020), 'n');
    // The second one was forgotten: its third packet is the second of a new probation.
    assert.equal(feed(latch, others[1]!, [11, 12, 13], 1030), 'nny');
  });

  it('before the time of the signalled source a complete one waits, and is over at the first packet after it', () => {
    const latch = armed(behindNat, { preferSignalledMs: 200 });
    assert.equal(feed(latch, `${nat}:1`, [1, 2, 3, 4], 100), 'nnnn');
    assert.equal(latch.accept(`${nat}:1`, nat, 1, 5, 199), false);
    assert.equal(latch.accept(`${nat}:1`, nat, 1, 6, 200), true);
  });

  it('a signalled source need not wait', () => assert.equal(feed(armed(), source, [1, 2], 0), 'ny'));
});

describe('the sources that may be latched', () => {
  for (const [rule, signalled, source, isAccepted] of [
    ['SDP and its port', phone, '192.0.2.1:4000', true],
    ['another port of SDP', phone, '192.0.2.1:9', true],
    ['the source of the signalling', behindNat, `${nat}:9`, true],
    ['an address with the same beginning', phone, '192.0.2.10:4000', false],
    [
      'an IPv4 source that the socket names as mapped (RFC 4291 §2.5.5.2)',
      phone,
      '::ffff:192.0.2.1:4000',
      true,
    ],
    [
      'a mapped address in the signalling',
      { ...phone, signalledFrom: ['::ffff:203.0.113.9'] },
      `${nat}:9`,
      true,
    ],
    ['a mapped stranger', phone, '::ffff:192.0.2.2:4000', false],
    ['an IPv6 address that begins as a mapped one', phone, '::ffff:c000:201:4000', false],
  ] as const) {
    it(`${rule}: ${isAccepted ? 'accepted' : 'refused'}`, () => {
      const latch = armed(signalled);
      assert.equal(feed(latch, source, [1, 2, 3, 4]).includes('y'), isAccepted);
      assert.equal(latch.isLatched, isAccepted);
    });
  }

  it('an admitted address is asked for without its mapping', () => {
    const asked: string[] = [];
    const latch = armed(phone, { isAdmitted: (address) => asked.push(address) > 0 });
    feed(latch, '::ffff:198.51.100.1:7', [1]);
    assert.deepEqual(asked, ['198.51.100.1']);
  });

  it('before any signalling there is no source to send to, and none is accepted', () => {
    const latch = createLatch();
    assert.equal(latch.source, undefined);
    assert.equal(feed(latch, '192.0.2.1:4000', [1, 2, 3, 4]), 'nnnn');
    assert.equal(latch.counters.foreign, 4);
  });
});

describe('a latched source', () => {
  const latched = (options: LatchOptions = {}): Latch => {
    const latch = armed(behindNat, options);
    feed(latch, `${nat}:1`, [1, 2, 3]);
    assert.equal(latch.source, `${nat}:1`);
    return latch;
  };

  it('is accepted with any SSRC and number', () => {
    const latch = latched();
    assert.equal(feed(latch, `${nat}:1`, [9, 9, 0, 40_000], 2000, 77), 'yyyy');
  });

  it('is replaced by another port of its address after exactly the silence of the option', () => {
    for (const [silence, expected] of [
      [4999, 'nnn'],
      [5000, 'nny'],
    ] as const) {
      const latch = latched();
      // The last packet was accepted at 1040.
      const accepted = [1, 2, 3].map((n) =>
        latch.accept(`${nat}:2`, nat, 1, n, 1040 + silence) ? 'y' : 'n',
      );
      assert.equal(accepted.join(''), expected);
    }
  });

  it('each packet of it begins the silence anew', () => {
    const latch = latched({ silentMs: 100 });
    feed(latch, `${nat}:1`, [4], 1130);
    assert.equal(feed(latch, `${nat}:2`, [1, 2, 3], 1150), 'nnn');
    assert.equal(feed(latch, `${nat}:2`, [4, 5, 6], 1230), 'nny');
  });

  it('keeps counting: latched once for each source, foreign and probation by packet', () => {
    const latch = latched({ silentMs: 100 });
    feed(latch, '198.51.100.1:1', [1, 2], 1050);
    feed(latch, `${nat}:2`, [1, 2, 3], 2000);
    assert.deepEqual(latch.counters, { probation: 4, foreign: 2, latched: 2 });
  });

  for (const [rule, arm, other, isAccepted] of [
    ['the same SDP from the same address: no other source', behindNat, `${nat}:2`, false],
    ['another SDP: the new address', { address: '192.0.2.50', port: 6 }, '192.0.2.50:6', true],
    ['the SDP of the latched source itself: no other source', { address: nat, port: 1 }, `${nat}:2`, false],
    [
      'another port in SDP: the new port',
      { address: '10.0.0.7', port: 4002, signalledFrom: [nat] },
      `${nat}:2`,
      true,
    ],
    [
      'the same SDP from another address: that address',
      { ...behindNat, signalledFrom: ['203.0.113.99'] },
      '203.0.113.99:3',
      true,
    ],
  ] as const) {
    it(`after signalling with ${rule}`, () => {
      const latch = latched();
      latch.arm(arm, 2000);
      assert.equal(feed(latch, other, [1, 2, 3, 4], 2300).includes('y'), isAccepted);
    });
  }

  it('goes on receiving until the newly signalled source has passed its probation, and is not answered meanwhile', () => {
    const latch = latched();
    latch.arm({ address: '192.0.2.50', port: 6 }, 2000);
    assert.equal(feed(latch, `${nat}:1`, [10], 2000), 'y');
    assert.equal(latch.source, '192.0.2.50:6');
    assert.equal(feed(latch, '192.0.2.50:6', [1, 2], 2010), 'ny');
    assert.equal(feed(latch, `${nat}:1`, [11], 2040), 'n');
  });

  for (const [rule, arm, sinceMs, isAnswered] of [
    ['to another address: never', { address: '192.0.2.50', port: 6 }, 60_000, false],
    ['to another port, before 1 s', { address: '10.0.0.7', port: 6, signalledFrom: [nat] }, 999, false],
    ['to another port, after 1 s', { address: '10.0.0.7', port: 6, signalledFrom: [nat] }, 1000, true],
  ] as const) {
    it(`is ${isAnswered ? 'answered again' : 'not answered'} after signalling has moved the leg ${rule}`, () => {
      const latch = latched();
      latch.arm(arm, 2000);
      assert.equal(feed(latch, `${nat}:1`, [10], 2000 + sinceMs), 'y');
      assert.equal(latch.source, isAnswered ? `${nat}:1` : `${arm.address}:6`);
      assert.equal(feed(latch, `${arm.address}:6`, [1, 2], 2000 + sinceMs), 'ny');
      assert.equal(latch.source, `${arm.address}:6`);
    });
  }

  it('makes room for the newly signalled phone behind NAT also when signalling repeats itself', () => {
    const latch = latched();
    const moved = { address: '10.0.0.8', port: 4000, signalledFrom: [nat] };
    latch.arm(moved, 2000);
    latch.arm(moved, 2100);
    assert.equal(latch.source, '10.0.0.8:4000');
    assert.equal(feed(latch, `${nat}:2`, [1, 2, 3], 2200), 'nny');
    assert.equal(latch.source, `${nat}:2`);
  });

  it('arming forgets the candidates: their earlier packets do not count', () => {
    const latch = armed(phone, { probation: 3 });
    feed(latch, '192.0.2.1:4000', [1, 2]);
    latch.arm({ address: '192.0.2.1', port: 4002 }, 1100);
    assert.equal(feed(latch, '192.0.2.1:4000', [3, 4], 1400), 'nn');
  });

  it('arming with the same SDP before anything is latched keeps the candidates', () => {
    const latch = armed(phone, { probation: 3 });
    feed(latch, '192.0.2.1:4000', [1, 2]);
    latch.arm(phone, 1100);
    assert.equal(feed(latch, '192.0.2.1:4000', [3], 1400), 'y');
  });
});

describe('a latch that another engine continues', () => {
  it('has the same source, silence and counters, and begins probations anew', () => {
    const latch = armed(behindNat, { silentMs: 1000 });
    feed(latch, `${nat}:1`, [1, 2, 3]);
    feed(latch, '198.51.100.1:1', [1]);
    const other = createLatch({ silentMs: 1000 });
    other.restore(latch.save());
    assert.deepEqual(other.save(), latch.save());
    assert.equal(feed(other, `${nat}:2`, [1, 2, 3], 1500), 'nnn');
    assert.equal(feed(other, `${nat}:2`, [4, 5, 6], 2040), 'nny');
    assert.equal(latch.counters.latched, 1, 'the counters are a copy');
    assert.equal(other.counters.latched, 2);
  });

  it('goes on waiting for the signalled source', () => {
    const latch = armed(behindNat);
    const other = createLatch();
    other.restore(latch.save());
    assert.equal(feed(other, `${nat}:1`, [1, 2, 3, 4], 100), 'nnnn');
    assert.equal(feed(other, '10.0.0.7:4000', [1, 2], 150), 'ny');
  });
});
