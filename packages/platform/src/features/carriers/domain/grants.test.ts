import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CarrierCaps } from './carrier.ts';
import { grantOf, type StartTokens, startWithinMs, takeStarts } from './grants.ts';

const caps: CarrierCaps = { callsPerSecond: undefined, concurrentCalls: 16, spendPerHour: 1600 };
const none = { calls: 0, units: 0 };

describe('the budget that a node gets', () => {
  const rows = [
    {
      title: 'is its need and a sixteenth of the caps',
      taken: none,
      spent: 0,
      keep: none,
      need: { calls: 1, units: 10 },
      gets: { calls: 2, units: 110 },
    },
    {
      title: 'is its need alone when little is left',
      taken: { calls: 14, units: 1580 },
      spent: 0,
      keep: none,
      need: { calls: 1, units: 10 },
      gets: { calls: 1, units: 10 },
    },
    {
      title: 'is no more than what is left',
      taken: { calls: 15, units: 1000 },
      spent: 500,
      keep: none,
      need: { calls: 3, units: 200 },
      gets: { calls: 1, units: 100 },
    },
    {
      title: 'is what it has when nothing is left',
      taken: { calls: 12, units: 1000 },
      spent: 500,
      keep: { calls: 4, units: 100 },
      need: { calls: 5, units: 200 },
      gets: { calls: 4, units: 100 },
    },
    {
      title: 'shrinks to what it keeps',
      taken: none,
      spent: 0,
      keep: { calls: 1, units: 5 },
      need: { calls: 1, units: 5 },
      gets: { calls: 1, units: 5 },
    },
    {
      title: 'is never smaller than what it keeps, also when the caps were lowered',
      taken: { calls: 15, units: 0 },
      spent: 1590,
      keep: { calls: 3, units: 20 },
      need: { calls: 4, units: 30 },
      gets: { calls: 3, units: 20 },
    },
  ];
  for (const { title, taken, spent, keep, need, gets } of rows)
    it(title, () => assert.deepEqual(grantOf(caps, { held: taken, spent }, { keep, need, starts: 0 }), gets));

  it('counts nothing that has no cap', () => {
    const open = { ...caps, concurrentCalls: undefined };
    const budget = grantOf(
      open,
      { held: { calls: 99, units: 0 }, spent: 0 },
      { keep: none, need: { calls: 1, units: 10 }, starts: 0 },
    );
    assert.deepEqual(budget, { calls: 0, units: 110 });
  });
});

describe('the starts of calls that nodes get', () => {
  for (const callsPerSecond of [0.2, 1, 1.5, 2, 5, 30]) {
    it(`at ${callsPerSecond} a second never exceed the rate at the carrier, early or late in their time`, () => {
      let before: StartTokens | undefined;
      // The worst order for the carrier: the first starts come as late as they may, all others at once.
      const seen: number[] = [];
      for (let now = 0; now < 20_000; now += 25) {
        const taken = takeStarts({ callsPerSecond }, before, 3, now);
        before = taken;
        for (let n = 0; n < taken.starts; n++)
          seen.push(now < 5_000 ? Math.min(now + startWithinMs, 5_000) : now);
      }
      assert.ok(seen.length > 19 * callsPerSecond * 0.55, `only ${seen.length} starts`);
      const most = Math.max(1, callsPerSecond);
      for (const [first, from] of seen.entries())
        for (const [last, to] of seen.entries()) {
          if (last < first) continue;
          const allowed = most + (callsPerSecond * (to - from)) / 1000;
          assert.ok(last - first + 1 <= allowed + 1e-6, `${last - first + 1} calls in ${to - from} ms`);
        }
    });
  }

  it('are not counted without a cap', () => {
    assert.equal(takeStarts({ callsPerSecond: undefined }, undefined, 7, 0).starts, 7);
  });

  it('do not grow when the clock of the database is set back', () => {
    const { starts, ...after } = takeStarts({ callsPerSecond: 4 }, undefined, 9, 60_000);
    assert.equal(starts, 2);
    assert.equal(takeStarts({ callsPerSecond: 4 }, after, 9, 0).starts, 0);
  });
});
