import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReceiverStatistics, middleOfNtp, roundTripMs } from './receiver-statistics.ts';
import { createReportBlock } from './rtcp.ts';

describe('receiver statistics', () => {
  it('loss is expected minus received; the fraction covers the time since the last report (RFC 3550 A.3)', () => {
    const statistics = createReceiverStatistics(8000);
    const block = createReportBlock();
    assert.equal(statistics.report(0, block), false);
    for (let i = 0; i < 100; i++) if (i % 4 !== 3) statistics.receive(5, i, i * 160, i * 20);
    statistics.report(2000, block);
    // 98 was the last received: 24 of 99 are missing.
    assert.deepEqual([block.cumulativeLost, block.fractionLost], [24, Math.floor((24 * 256) / 99)]);
    for (let i = 100; i < 200; i++) statistics.receive(5, i, i * 160, i * 20);
    statistics.report(4000, block);
    // 99 of the first hundred counts as expected only now.
    assert.deepEqual([block.cumulativeLost, block.fractionLost], [25, Math.floor(256 / 101)]);
    assert.equal(block.ssrc, 5);
  });

  it('duplicates make the loss negative, and the fraction zero (RFC 3550 A.3)', () => {
    const statistics = createReceiverStatistics(8000);
    const block = createReportBlock();
    for (let i = 0; i < 10; i++) {
      statistics.receive(5, i, i * 160, i * 20);
      statistics.receive(5, i, i * 160, i * 20);
    }
    statistics.report(200, block);
    assert.deepEqual([block.cumulativeLost, block.fractionLost], [-10, 0]);
  });

  it('the extended sequence number counts cycles across the wrap (RFC 3550 A.1)', () => {
    const statistics = createReceiverStatistics(8000);
    for (let i = 0; i < 100; i++) statistics.receive(5, (65_500 + i) & 0xffff, i * 160, i * 20);
    assert.equal(statistics.extendedHighestSequenceNumber, 65_599);
    assert.equal(statistics.lost, 0);
  });

  it('a large jump counts when the next packet continues from it (RFC 3550 A.1)', () => {
    const statistics = createReceiverStatistics(8000);
    for (let i = 0; i < 10; i++) statistics.receive(5, i, i * 160, i * 20);
    statistics.receive(5, 30_000, 0, 200);
    assert.equal(statistics.extendedHighestSequenceNumber, 9);
    statistics.receive(5, 30_001, 160, 220);
    assert.equal(statistics.extendedHighestSequenceNumber, 30_001);
    assert.equal(statistics.lost, 0);
  });

  it('jitter moves by a sixteenth of each difference (RFC 3550 A.8)', () => {
    const statistics = createReceiverStatistics(8000);
    statistics.receive(5, 0, 0, 0);
    statistics.receive(5, 1, 160, 36);
    assert.equal(statistics.jitterMs, 1);
    statistics.receive(5, 2, 320, 56);
    assert.equal(statistics.jitterMs, 1 - 1 / 16);
  });

  it('jitter is zero on an even network, across the wrap of the timestamp', () => {
    const statistics = createReceiverStatistics(8000);
    for (let i = 0; i < 100; i++) statistics.receive(5, i, (0xffffe000 + i * 160) >>> 0, i * 20);
    assert.equal(statistics.jitterMs, 0);
  });

  it('DLSR is the time since the last sender report, LSR its middle 32 bits (RFC 3550 §6.4.1)', () => {
    const statistics = createReceiverStatistics(8000);
    const block = createReportBlock();
    statistics.receive(5, 0, 0, 0);
    statistics.senderReport(0xb44db705, 0x20000000, 1000);
    statistics.report(6250, block);
    assert.equal(block.lastSenderReport, 0xb7052000);
    assert.equal(block.delaySinceLastSenderReport, 0x00054000);
  });
});

describe('roundTripMs', () => {
  it('computes the example of RFC 3550 Figure 2: 6.125 s', () => {
    const block = createReportBlock();
    block.lastSenderReport = 0xb7052000;
    block.delaySinceLastSenderReport = 0x00054000;
    assert.equal(middleOfNtp(0xb44db710, 0x80000000), 0xb7108000);
    assert.equal(roundTripMs(block, 0xb7108000), 6125);
  });

  it('is undefined without a sender report, and when it would be negative', () => {
    const block = createReportBlock();
    assert.equal(roundTripMs(block, 1), undefined);
    block.lastSenderReport = 10;
    assert.equal(roundTripMs(block, 9), undefined);
  });
});
