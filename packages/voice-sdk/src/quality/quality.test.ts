import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCallQuality } from './call-quality.ts';
import type { AudioCounters } from './quality-sample.ts';

const clean: AudioCounters = {
  packetsReceived: 0,
  packetsLost: 0,
  packetsSent: 0,
  jitterMs: 2,
  roundTripMs: 20,
  remoteLossPercent: 0,
  inputLevel: 0.1,
  outputLevel: 0.1,
  codec: 'opus',
  transport: 'udp',
};
const open = { isSilent: false, isHeld: false };

/** Samples with 250 packets each, of which these shares are lost. */
function warningsOf(losses: readonly number[]): string[] {
  const quality = createCallQuality();
  let { packetsReceived, packetsLost } = clean;
  return losses.flatMap((percent, index) => {
    packetsLost += 2.5 * percent;
    packetsReceived += 250 - 2.5 * percent;
    const { changes } = quality.read({ ...clean, packetsReceived, packetsLost }, 0, open);
    return changes.filter(({ warning }) => warning === 'high-loss').map((each) => `${each.do} ${index}`);
  });
}

describe('the quality of a call', () => {
  it('is that of the last interval, not of the whole call', () => {
    const quality = createCallQuality();
    quality.read({ ...clean, packetsReceived: 150, packetsLost: 100 }, 5000, open);
    const { sample } = quality.read({ ...clean, packetsReceived: 400, packetsLost: 100 }, 10_000, open);
    assert.deepEqual([sample.packetsReceived, sample.lossPercent, sample.at], [250, 0, 10_000]);
    assert.ok(sample.mos! > 4.3);
  });

  it('a warning begins after two bad samples and ends after three good ones', () => {
    assert.deepEqual(warningsOf([0, 8, 8, 8, 0, 0, 0, 0]), ['begin 2', 'end 6']);
    assert.deepEqual(warningsOf([8, 0, 8, 0, 8, 0]), []);
  });

  it('a value between the two bounds neither begins nor ends a warning', () => {
    assert.deepEqual(warningsOf([2, 2, 2, 8, 8, 2, 2, 2, 2]), ['begin 4']);
  });

  it('six samples are one report, which has the names of the server', () => {
    const quality = createCallQuality();
    const { sample } = quality.read({ ...clean, packetsReceived: 250 }, 0, open);
    for (let round = 0; round < 2; round += 1) {
      const reports = Array.from({ length: 6 }, () => quality.report(sample));
      assert.deepEqual(reports.slice(0, 5), Array(5).fill(undefined));
      assert.equal(reports[5]?.contentType, 'application/vnd.jackfield.call-quality+json');
      const { samples, warnings } = JSON.parse(reports[5].body);
      assert.deepEqual([samples.length, samples[0].packets_received, warnings], [6, 250, []]);
    }
  });

  it('a muted microphone is not too quiet, and a held call misses no audio', () => {
    const muted = createCallQuality();
    const quiet = { ...clean, inputLevel: 0 };
    for (let count = 0; count < 4; count += 1) muted.read(quiet, 0, { isSilent: true, isHeld: true });
    assert.deepEqual(muted.warnings, []);
    const heard = createCallQuality();
    for (let count = 0; count < 4; count += 1) heard.read(quiet, 0, open);
    assert.deepEqual(heard.warnings, ['low-microphone', 'no-audio-received']);
  });
});
