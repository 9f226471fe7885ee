import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAnswerCache } from './answer-cache.ts';
import type { DnsAnswer } from './dns-records.ts';
import { triesNext } from './failover.ts';

const query = { type: 'A', name: 'Example.com' } as const;
const answer = (ttlMs: number, records = ['192.0.2.1']): DnsAnswer => ({ type: 'A', records, ttlMs });

test('an answer is cached for its time to live up to the limit, by its name in any case', () => {
  const cache = createAnswerCache({ maxTtlMs: 1_000 });
  cache.put(query, answer(500), 0);
  assert.deepEqual(cache.get({ type: 'A', name: 'example.COM' }, 499), answer(500));
  assert.equal(cache.get(query, 500), undefined);
  assert.equal(cache.size, 0);
  cache.put(query, answer(10_000), 0);
  assert.equal(cache.get(query, 1_000), undefined);
  cache.put(query, answer(0), 0);
  assert.equal(cache.get(query, 0), undefined);
});

test('negative answers and failed queries are cached for a short time', () => {
  const cache = createAnswerCache({ negativeTtlMs: 100 });
  for (const nothing of [answer(10_000, []), { type: 'failed' } as const]) {
    cache.put(query, nothing, 0);
    assert.deepEqual(cache.get(query, 99), nothing);
    assert.equal(cache.get(query, 100), undefined);
  }
});

test('a full cache removes its oldest answer', () => {
  const cache = createAnswerCache({ maxAnswers: 2 });
  for (const name of ['a', 'b', 'c']) cache.put({ type: 'A', name }, answer(1_000), 0);
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => cache.get({ type: 'A', name }, 1) !== undefined),
    [false, true, true],
  );
});

test('RFC 3263 §4.3: 503, a failed transport and a timeout try the next target; every other answer is final', () => {
  assert.ok(triesNext({ type: 'response', status: 503 }));
  assert.ok(triesNext({ type: 'failed', failure: 'transport-failed' }));
  assert.ok(triesNext({ type: 'failed', failure: 'timeout' }));
  for (const status of [200, 302, 404, 408, 486, 500, 504, 603])
    assert.equal(triesNext({ type: 'response', status }), false);
});
