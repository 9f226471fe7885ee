import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type CarrierUse, reserve, settle, spend, unusedCarrier } from './caps.ts';
import type { CarrierCaps } from './carrier.ts';

const open: CarrierCaps = { callsPerSecond: undefined, concurrentCalls: undefined, spendPerHour: undefined };
const hourMs = 3_600_000;

function admittedBy(caps: CarrierCaps, use: CarrierUse, worstCase: number, now: number): CarrierUse {
  const admitted = reserve(caps, use, worstCase, now);
  assert.ok(admitted.ok, admitted.ok ? '' : admitted.reached);
  return admitted.use;
}

function reachedBy(caps: CarrierCaps, use: CarrierUse, worstCase: number, now: number): string {
  const admitted = reserve(caps, use, worstCase, now);
  return admitted.ok ? 'none' : admitted.reached;
}

describe('the caps of a carrier', () => {
  it('let as many calls begin within a second as they say, and one at least', () => {
    const caps = { ...open, callsPerSecond: 2 };
    let use = unusedCarrier(caps, 0);
    use = admittedBy(caps, use, 0, 0);
    use = admittedBy(caps, use, 0, 0);
    assert.equal(reachedBy(caps, use, 0, 499), 'calls-per-second');
    use = admittedBy(caps, use, 0, 500);
    assert.equal(reachedBy(caps, use, 0, 500), 'calls-per-second');

    const slow = { ...open, callsPerSecond: 0.5 };
    const used = admittedBy(slow, unusedCarrier(slow, 0), 0, 0);
    assert.equal(reachedBy(slow, used, 0, 1999), 'calls-per-second');
    admittedBy(slow, used, 0, 2000);
  });

  it('accumulate no more than a second’s worth of calls', () => {
    const caps = { ...open, callsPerSecond: 2 };
    let use = admittedBy(caps, unusedCarrier(caps, 0), 0, hourMs);
    use = admittedBy(caps, use, 0, hourMs);
    assert.equal(reachedBy(caps, use, 0, hourMs), 'calls-per-second');
  });

  it('count calls until they have ended', () => {
    const caps = { ...open, concurrentCalls: 1 };
    const use = admittedBy(caps, unusedCarrier(caps, 0), 0, 0);
    assert.equal(reachedBy(caps, use, 0, hourMs), 'concurrent-calls');
    admittedBy(caps, settle(use, 0, 0, hourMs), 0, hourMs);
  });

  it('reserve the worst case, and free what a call did not cost', () => {
    const caps = { ...open, spendPerHour: 100 };
    const use = admittedBy(caps, unusedCarrier(caps, 0), 60, 0);
    assert.equal(reachedBy(caps, use, 41, 0), 'spend-per-hour');
    admittedBy(caps, use, 40, 0);
    const settled = settle(use, 60, 10, 0);
    assert.equal(reachedBy(caps, settled, 91, 0), 'spend-per-hour');
    admittedBy(caps, settled, 90, 0);
  });

  it('forget spend of more than an hour ago', () => {
    const caps = { ...open, spendPerHour: 100 };
    const use = spend(unusedCarrier(caps, 0), 100, 30_000);
    assert.equal(reachedBy(caps, use, 1, 30_000 + hourMs), 'spend-per-hour');
    admittedBy(caps, use, 1, 120_000 + hourMs);
  });

  it('count nothing for a call that they refuse', () => {
    const caps = { ...open, callsPerSecond: 1, spendPerHour: 10 };
    const use = unusedCarrier(caps, 0);
    assert.equal(reachedBy(caps, use, 11, 0), 'spend-per-hour');
    admittedBy(caps, use, 10, 0);
  });

  it('hold for every order of calls: within any hour no more is spent, and never more calls live', () => {
    const orders = fc.array(
      fc.record({
        waitMs: fc.integer({ min: 0, max: 900_000 }),
        worstCase: fc.integer({ min: 1, max: 60 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
        ends: fc.nat(5),
      }),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(orders, (calls) => {
        const caps = { callsPerSecond: 5, concurrentCalls: 4, spendPerHour: 100 };
        let now = 0;
        let use = unusedCarrier(caps, now);
        const live: { worstCase: number; share: number }[] = [];
        const spent: { at: number; cost: number }[] = [];
        for (const { waitMs, worstCase, share, ends } of calls) {
          now += waitMs;
          for (let n = 0; n < ends && live.length > 0; n++) {
            const call = live.shift()!;
            const cost = Math.floor(call.worstCase * call.share);
            use = settle(use, call.worstCase, cost, now);
            spent.push({ at: now, cost });
          }
          const admitted = reserve(caps, use, worstCase, now);
          if (admitted.ok) {
            use = admitted.use;
            live.push({ worstCase, share });
            const lastHour = spent
              .filter(({ at }) => at > now - hourMs)
              .reduce((sum, { cost }) => sum + cost, 0);
            const mayCome = live.reduce((sum, call) => sum + call.worstCase, 0);
            assert.ok(lastHour + mayCome <= caps.spendPerHour);
          }
          assert.ok(live.length <= caps.concurrentCalls);
          assert.equal(use.concurrent, live.length);
        }
      }),
    );
  });
});
