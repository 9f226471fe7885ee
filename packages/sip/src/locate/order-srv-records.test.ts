import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SrvRecord } from './dns-records.ts';
import { orderSrvRecords } from './order-srv-records.ts';

const srv = (priority: number, weight: number, target: string): SrvRecord => ({
  priority,
  weight,
  port: 5060,
  target,
});

/** A plain generator: the same numbers in every run. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('RFC 2782: a lower priority goes first, whatever the weights', () => {
  const records = [srv(20, 1000, 'c'), srv(10, 0, 'a'), srv(15, 5, 'b')];
  assert.deepEqual(
    orderSrvRecords(records, () => 0.99).map(({ target }) => target),
    ['a', 'b', 'c'],
  );
});

test('RFC 2782: within a priority the first is drawn in proportion to the weights, and each comes once', () => {
  const records = [srv(1, 10, 'a'), srv(1, 30, 'b'), srv(1, 60, 'c')];
  const chance = numbers();
  const firsts: Record<string, number> = { a: 0, b: 0, c: 0 };
  for (let draw = 0; draw < 10_000; draw += 1) {
    const ordered = orderSrvRecords(records, chance).map(({ target }) => target);
    assert.deepEqual([...ordered].sort(), ['a', 'b', 'c']);
    firsts[ordered[0]!]! += 1;
  }
  assert.ok(Math.abs(firsts.a! - 1_000) < 200, JSON.stringify(firsts));
  assert.ok(Math.abs(firsts.b! - 3_000) < 300, JSON.stringify(firsts));
  assert.ok(Math.abs(firsts.c! - 6_000) < 300, JSON.stringify(firsts));
});

test('RFC 2782: a weight of 0 has a very small chance beside others, and an equal share among weights of 0', () => {
  const records = [srv(1, 0, 'zero'), srv(1, 99, 'heavy')];
  const chance = numbers();
  let first = 0;
  for (let draw = 0; draw < 10_000; draw += 1)
    if (orderSrvRecords(records, chance)[0]!.target === 'zero') first += 1;
  assert.ok(first > 20 && first < 300, String(first));
  assert.equal(orderSrvRecords([srv(1, 0, 'a'), srv(1, 0, 'b')], () => 0.9).length, 2);
  assert.deepEqual(
    orderSrvRecords([], () => 0),
    [],
  );
});
