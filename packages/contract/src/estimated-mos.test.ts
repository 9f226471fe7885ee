import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { estimatedMos, type ReceivedAudio } from './estimated-mos.ts';

const clean = { packetsReceived: 1000, packetsLost: 0, jitterMs: 0 };

test('a clean stream has the best rating of G.711 (ITU-T G.107 §7.7: R = 93.2, MOS 4.41)', () => {
  assert.ok(Math.abs(estimatedMos(clean)! - 4.4) < 0.02);
});

test('loss lowers the rating as in G.113 Appendix I for G.711 with concealment', () => {
  const at = (packetsLost: number) =>
    estimatedMos({ ...clean, packetsLost, packetsReceived: 1000 - packetsLost })!;
  assert.ok(Math.abs(at(10) - 4.31) < 0.05, String(at(10)));
  // Computed by hand: R = 93.2 − 0.5 − 95·5/30.1 = 76.9 for 5 %, and 50.6 for 20 %.
  assert.ok(Math.abs(at(50) - 3.9) < 0.02, String(at(50)));
  assert.ok(Math.abs(at(200) - 2.61) < 0.02, String(at(200)));
});

test('delay lowers the rating clearly beyond 177 ms', () => {
  const at = (roundTripMs: number) => estimatedMos({ ...clean, roundTripMs })!;
  assert.ok(at(0) - at(200) < 0.1);
  assert.ok(at(300) - at(600) > 0.4);
  assert.ok(estimatedMos({ ...clean, jitterMs: 100, roundTripMs: 200 })! < at(200) - 0.3);
});

test('a stream without packets has no rating; duplicates do not count as negative loss; ratings stay within 1 and 4.5', () => {
  assert.equal(estimatedMos({ ...clean, packetsReceived: 0, packetsLost: 5 }), undefined);
  assert.equal(estimatedMos({ ...clean, packetsLost: -20 }), estimatedMos(clean));
  assert.equal(
    estimatedMos({ packetsReceived: 1, packetsLost: 99_999, jitterMs: 5000, roundTripMs: 9000 }),
    1,
  );
});

/** The E-model with all parameters at their defaults but Ie-eff and Idd, as in G.107 with the constants of its tables. */
function ratingOf(lossPercent: number, delayMs: number): number {
  const impairment = 95 * (lossPercent / (lossPercent + 25.1));
  const delay = 0.024 * delayMs + (delayMs > 177.3 ? 0.11 * (delayMs - 177.3) : 0);
  return 93.2 - delay - impairment;
}

describe('the estimated mean opinion score (ITU-T G.107)', () => {
  const quality = (change: Partial<ReceivedAudio> = {}): ReceivedAudio => ({
    packetsReceived: 1000,
    packetsLost: 0,
    jitterMs: 0,
    ...change,
  });

  for (const [rule, change, score] of [
    ['of a perfect line is 4.4', {}, 4.4],
    ['of a line with half its packets lost', { packetsLost: 1000 }, 1.6],
    ['with everything but one packet lost', { packetsReceived: 1, packetsLost: 10_000_000 }, 1.17],
    ['duplicates are no loss', { packetsLost: -50 }, 4.4],
    ['of a satellite is below that of a cable', { roundTripMs: 1200 }, 1.59],
    ['never falls below 1', { packetsLost: 5000, roundTripMs: 60_000 }, 1],
  ] as const) {
    it(rule, () =>
      assert.ok(Math.abs(estimatedMos(quality(change))! - score) < 0.06, `${estimatedMos(quality(change))}`),
    );
  }

  for (const packetsReceived of [0, -1]) {
    it(`of ${packetsReceived} packets does not exist`, () =>
      assert.equal(estimatedMos(quality({ packetsReceived, packetsLost: 9 })), undefined));
  }

  it('is Annex B of the rating, with two decimals, for every loss, jitter and delay', () => {
    fc.assert(
      fc.property(fc.nat(3000), fc.nat(300), fc.nat(2000), (packetsLost, jitterMs, roundTripMs) => {
        const lossPercent = (100 * packetsLost) / (packetsLost + 1000);
        const rating = Math.max(0, ratingOf(lossPercent, roundTripMs / 2 + 2 * jitterMs + 20));
        const score = 1 + 0.035 * rating + 7e-6 * rating * (rating - 60) * (100 - rating);
        const estimated = estimatedMos(quality({ packetsLost, jitterMs, roundTripMs }))!;
        assert.ok(Math.abs(estimated - Math.max(1, score)) < 0.0051, `${estimated}, not ${score}`);
        assert.equal(estimated, Math.round(estimated * 100) / 100);
      }),
    );
  });

  it('falls with loss, jitter and delay, each by itself', () => {
    for (const key of ['packetsLost', 'jitterMs', 'roundTripMs'] as const) {
      let last = 5;
      for (const value of [0, 20, 100, 300]) {
        const score = estimatedMos(quality({ [key]: value }))!;
        assert.ok(score < last, `${key} ${value}`);
        last = score;
      }
    }
  });

  it('without a report of the other side counts no delay of the network', () => {
    assert.equal(
      estimatedMos(quality({ roundTripMs: undefined })),
      estimatedMos(quality({ roundTripMs: 0 })),
    );
  });
});
