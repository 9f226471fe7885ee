import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimatedMos } from './listening-quality.ts';

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
