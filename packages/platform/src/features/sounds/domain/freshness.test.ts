import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchTimeouts } from './fetch-timeouts.ts';
import { freshnessOf } from './freshness.ts';

const limits = { unsaidMs: 2_000, mostMs: 3_600_000 };
const of = (control: string | undefined, age?: string) => {
  const { isKept, freshUntil } = freshnessOf({ 'cache-control': control, age }, 1_000, limits);
  return isKept ? freshUntil - 1_000 : 'not kept';
};

test('RFC 9111 §5.2.2: Cache-Control decides whether and how long an answer is kept', () => {
  assert.equal(of(undefined), 2_000);
  assert.equal(of('public'), 2_000);
  assert.equal(of('max-age=60'), 60_000);
  assert.equal(of('Max-Age="60", must-revalidate'), 60_000);
  assert.equal(of('max-age=60, s-maxage=10'), 10_000);
  assert.equal(of('max-age=60', '45'), 15_000);
  assert.equal(of('max-age=60', '90'), 0);
  assert.equal(of('max-age=0'), 0);
  assert.equal(of('max-age=60, no-cache'), 0);
  assert.equal(of('max-age=60, no-store'), 'not kept');
  assert.equal(of('max-age=-1'), 2_000);
  assert.equal(of('max-age=99999999999999999999'), 3_600_000, 'our own limit');
  assert.equal(freshnessOf({ 'cache-control': ['no-store', 'max-age=5'] }, 0, limits).isKept, false);
});

test('the settings of the URL limit the wait for a server; its default is ten seconds', () => {
  const settingsOf = () => ({ connectMs: 1, readMs: 2, totalMs: 3 });
  const of = (url: string) => Object.values(fetchTimeouts(url, settingsOf));
  assert.deepEqual(of('https://a.example/x?rt=5'), [2_000, 10_000, 30_000]);
  assert.deepEqual(of('https://a.example/x#rt=5'), [2_000, 2, 30_000]);
  assert.deepEqual(of('https://a.example/x#tt=1&ct=2'), [1, 10_000, 3]);
});
