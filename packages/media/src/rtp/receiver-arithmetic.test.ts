import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createReceiverStatistics, middleOfNtp, roundTripMs } from './receiver-statistics.ts';
import { createReportBlock } from './rtcp.ts';
import { Rfc3550Receiver } from './testing/rfc3550-receiver.ts';

const block = createReportBlock();

/** Statistics at 8 kHz that have received these sequence numbers, one every 20 ms. */
function receiving(...sequences: readonly number[]) {
  const statistics = createReceiverStatistics(8000);
  for (const [n, sequence] of sequences.entries()) statistics.receive(5, sequence, n * 160, n * 20);
  return statistics;
}

function reported(statistics: ReturnType<typeof createReceiverStatistics>, nowMs = 0) {
  assert.ok(statistics.report(nowMs, block));
  return { ...block };
}

describe('the receiver of RFC 3550 Appendix A, as a model', () => {
  const step = fc.record({
    // Mostly the next packet; also loss, reordering, repetition, jumps beyond every limit, and a restart.
    jump: fc.oneof(
      { weight: 20, arbitrary: fc.constant(1) },
      { weight: 4, arbitrary: fc.integer({ min: -120, max: 200 }) },
      { weight: 2, arbitrary: fc.constantFrom(2999, 3000, 3001, -99, -100, -101, 0x8000) },
      { weight: 1, arbitrary: fc.nat(0xffff) },
    ),
    lateMs: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(80) }),
    reports: fc.nat(30).map((draw) => draw === 0),
  });
  it('statistics agree with it after every packet and in every report, over wraps, jumps and restarts', () => {
    fc.assert(
      fc.property(
        fc.nat(0xffff),
        fc.nat(0xffff_ffff),
        fc.array(step, { minLength: 1, maxLength: 200 }),
        (start, timestamp, steps) => {
          const statistics = createReceiverStatistics(8000);
          const model = new Rfc3550Receiver(start);
          let sequence = start;
          statistics.receive(9, sequence, timestamp, 0);
          model.received = 1;
          model.updateJitter(timestamp, 0);
          steps.forEach(({ jump, lateMs, reports }, n) => {
            sequence = (sequence + jump) & 0xffff;
            const nowMs = (n + 1) * 20 + lateMs;
            const sent = (timestamp + (n + 1) * 160) >>> 0;
            statistics.receive(9, sequence, sent, nowMs);
            if (model.updateSeq(sequence)) model.updateJitter(sent, nowMs * 8);
            assert.equal(statistics.received, model.received);
            assert.equal(statistics.extendedHighestSequenceNumber, model.cycles + model.maxSeq);
            assert.ok(Math.abs(statistics.jitterMs * 8 - model.jitter) < 1e-6);
            if (!reports) return;
            const { fraction, lost, extendedMax, jitter } = model.report();
            const {
              fractionLost,
              cumulativeLost,
              extendedHighestSequenceNumber,
              jitter: own,
            } = reported(statistics);
            assert.deepEqual(
              [fractionLost, cumulativeLost, extendedHighestSequenceNumber],
              [Math.min(255, fraction), lost, extendedMax],
            );
            assert.ok(Math.abs(own - jitter) <= 1);
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('sequence numbers at the limits of RFC 3550 A.1', () => {
  for (const [rule, sequences, received, highest] of [
    ['a jump of 2,999 is loss (MAX_DROPOUT)', [10, 3009], 2, 3009],
    ['a jump of 3,000 does not count', [10, 3010], 1, 10],
    ['a packet 99 behind the highest counts (MAX_MISORDER)', [200, 101], 2, 200],
    ['a packet 100 behind the highest does not count', [200, 100], 1, 200],
    ['a repeated packet counts as received', [200, 200], 2, 200],
    ['two packets after a jump count as a restart at the second', [10, 5000, 5001], 1, 5001],
    ['after a jump, a packet that does not follow it is no restart', [10, 5000, 5002], 1, 10],
    ['a jump to the last number is confirmed by number 0', [30_000, 65_535, 0], 1, 0],
    ['a packet in order between the two of a jump cancels the restart', [10, 5000, 11, 5001], 2, 11],
    ['a late packet between the two of a jump does not cancel it', [10, 5000, 9, 5001], 1, 5001],
    [
      'a restart begins to count anew: the next report covers it alone',
      [10, 11, 12, 5000, 5001, 5003],
      2,
      5003,
    ],
    ['a packet from before the wrap does not count another cycle', [65_535, 0, 65_534], 3, 65_536],
    ['a restart after a wrap begins without cycles', [65_535, 0, 30_000, 30_001], 1, 30_001],
    ['three wraps are three cycles', [65_535, 0, 2000, 4000, 6500, 9000], 6, 74_536],
  ] as const) {
    it(rule, () => {
      const statistics = receiving(...sequences);
      assert.equal(statistics.received, received);
      assert.equal(statistics.extendedHighestSequenceNumber, highest);
    });
  }

  it('a long stream counts each wrap as 65,536', () => {
    const statistics = createReceiverStatistics(8000);
    for (let n = 0; n < 200_000; n += 2000) statistics.receive(5, n & 0xffff, n * 160, n * 20);
    assert.equal(statistics.extendedHighestSequenceNumber, 198_000);
  });

  it('another SSRC begins anew: loss, jitter and the last sender report of the first one are forgotten', () => {
    const statistics = receiving(0, 1, 5);
    statistics.receive(5, 6, 7 * 160, 200);
    statistics.senderReport(100, 0, 200);
    assert.ok(statistics.jitterMs > 0 && statistics.lost === 3);
    statistics.receive(6, 60_000, 77, 220);
    const { ssrc, cumulativeLost, fractionLost, jitter, lastSenderReport } = reported(statistics);
    assert.deepEqual([ssrc, cumulativeLost, fractionLost, jitter, lastSenderReport], [6, 0, 0, 0, 0]);
    assert.equal(statistics.extendedHighestSequenceNumber, 60_000);
  });
});

describe('fraction lost, a share of the packets since the last report (RFC 3550 A.3)', () => {
  for (const [rule, first, second, fraction] of [
    ['is 0 for an interval without packets', [0, 1], [], 0],
    ['is 0 when a late packet repairs more than is missing', [0, 3], [1, 2, 4], 0],
    ['is rounded down: 1 of 3 is 85/256', [0], [1, 3], 85],
    ['of a half is 128', [0], [2], 128],
    ['of nearly everything is at most 255', [0], [2999], 255],
  ] as const) {
    it(rule, () => {
      const statistics = receiving(...first);
      reported(statistics);
      for (const sequence of second) statistics.receive(5, sequence, 0, 1000);
      assert.equal(reported(statistics).fractionLost, fraction);
    });
  }

  it('covers the new stream alone after a restart of the sender', () => {
    const statistics = receiving(0, 1, 2, 3, 4, 5, 6, 7);
    reported(statistics);
    for (const sequence of [30_000, 30_001, 30_003]) statistics.receive(5, sequence, 0, 400);
    const { fractionLost, cumulativeLost } = reported(statistics);
    assert.deepEqual([fractionLost, cumulativeLost], [Math.floor(256 / 3), 1]);
  });
});

describe('cumulative loss has 24 bits with a sign, and is clamped rather than wrapped (RFC 3550 A.3)', () => {
  /** Statistics that continue others with this many expected and received packets. */
  function counted(expected: number, received: number) {
    const { baseSequence, ...rest } = receiving(0).save();
    const maxSequence = (expected - 1) & 0xffff;
    const cycles = expected - 1 - maxSequence;
    return createReceiverStatistics(8000, { ...rest, baseSequence, maxSequence, cycles, received });
  }
  for (const [rule, expected, received, lost] of [
    ['the greatest loss is 0x7fffff', 0x800000, 1, 0x7fffff],
    ['one more stays there', 0x800001, 1, 0x7fffff],
    ['the least is −0x800000', 1, 0x800001, -0x800000],
    ['one less stays there', 1, 0x800002, -0x800000],
  ] as const) {
    it(rule, () => assert.equal(reported(counted(expected, received)).cumulativeLost, lost));
  }
});

describe('interarrival jitter (RFC 3550 A.8)', () => {
  it('is in timestamp units in a report, rounded down, and in ms as a property', () => {
    const statistics = createReceiverStatistics(48_000);
    statistics.receive(5, 0, 0, 0);
    statistics.receive(5, 1, 960, 21);
    assert.equal(reported(statistics).jitter, 3);
    assert.equal(statistics.jitterMs, 1 / 16);
  });

  it('a jump of the timestamp by 10 s is a new clock, and one just below is jitter', () => {
    for (const [units, moves] of [
      [80_000, false],
      [79_999, true],
    ] as const) {
      const statistics = createReceiverStatistics(8000);
      statistics.receive(5, 0, 0, 0);
      statistics.receive(5, 1, units, 0);
      assert.equal(statistics.jitterMs > 0, moves, `${units}`);
    }
  });

  it('is 0 after a restart of the sender, whatever its new timestamp', () => {
    const statistics = receiving(0, 1);
    statistics.receive(5, 30_000, 3000, 40);
    statistics.receive(5, 30_001, 3160, 60);
    assert.equal(statistics.jitterMs, 0);
  });

  it('continues from the new clock after such a jump', () => {
    const statistics = createReceiverStatistics(8000);
    statistics.receive(5, 0, 0, 0);
    statistics.receive(5, 1, 1_000_000, 20);
    statistics.receive(5, 2, 1_000_160, 40);
    assert.equal(statistics.jitterMs, 0);
  });
});

describe('LSR and DLSR (RFC 3550 §6.4.1)', () => {
  for (const [rule, atMs, nowMs, delay] of [
    ['65,536 units are a second', 1000, 2000, 65_536],
    ['half a unit rounds to the nearest', 0, 1, 66],
    ['a report in the same millisecond has no delay', 500, 500, 0],
    ['an hour fits', 0, 3_600_000, 3600 * 65_536],
  ] as const) {
    it(rule, () => {
      const statistics = receiving(0);
      statistics.senderReport(7, 0x80000000, atMs);
      const { delaySinceLastSenderReport, lastSenderReport } = reported(statistics, nowMs);
      assert.deepEqual([lastSenderReport, delaySinceLastSenderReport], [0x00078000, delay]);
    });
  }

  it('is 0 and 0 before any sender report, whatever the time', () => {
    const { lastSenderReport, delaySinceLastSenderReport } = reported(receiving(0), 123_456);
    assert.deepEqual([lastSenderReport, delaySinceLastSenderReport], [0, 0]);
  });

  for (const [rule, seconds, fraction, middle] of [
    [
      'has the low 16 bits of the seconds above the high 16 bits of the fraction',
      0x12345678,
      0x9abcdef0,
      0x56789abc,
    ],
    ['is unsigned', 0xffff, 0xffffffff, 0xffffffff],
    ['of a whole second has no fraction', 0x10001, 0, 0x00010000],
  ] as const) {
    it(`the middle of an NTP time ${rule}`, () => assert.equal(middleOfNtp(seconds, fraction), middle));
  }

  for (const [rule, now, last, delay, ms] of [
    ['spans the wrap of the 16-bit seconds', 0x00000800, 0xffff0000, 0x00008000, 531.25],
    ['is 0 when the answer is as old as its delay', 0x00020000, 0x00010000, 0x00010000, 0],
    [
      'is undefined when the delay exceeds the time that has passed by one unit',
      0x00020000,
      0x00010000,
      0x10001,
      undefined,
    ],
    ['of one unit is 15 µs', 0x00020001, 0x00010000, 0x00010000, 1000 / 65_536],
  ] as const) {
    it(`a round trip ${rule}`, () => {
      const answer = { ...createReportBlock(), lastSenderReport: last, delaySinceLastSenderReport: delay };
      assert.equal(roundTripMs(answer, now), ms);
    });
  }
});

describe('statistics that another engine continues', () => {
  it('give the same reports as those that were never saved, through loss, jitter and a pending restart', () => {
    const whole = receiving();
    let moved = receiving();
    const sequences = [65_530, 65_532, 65_531, 65_535, 2, 9000, 3, 20_000, 20_001, 20_004];
    sequences.forEach((sequence, n) => {
      for (const each of [whole, moved]) {
        each.receive(5, sequence, n * 160, n * 23);
        if (n === 3) each.senderReport(1000, 0x40000000, n * 23);
      }
      if (n % 3 === 2) assert.deepEqual(reported(moved, n * 23), reported(whole, n * 23));
      moved = createReceiverStatistics(8000, moved.save());
      assert.deepEqual(moved.save(), whole.save());
    });
  });

  it('report nothing before their first packet, as new ones', () => {
    assert.equal(createReceiverStatistics(8000, receiving().save()).report(0, block), false);
    assert.equal(receiving().lost, 0);
  });
});
