import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDeliverySettings } from './delivery-settings.ts';

test('a URL without settings has the published defaults', () => {
  assert.deepEqual(parseDeliverySettings('https://a.example/x?y=1'), {
    url: 'https://a.example/x?y=1',
    connectMs: 2000,
    readMs: 40_000,
    totalMs: 55_000,
    retries: 1,
    retryOn: new Set(['ct', 'rt']),
  });
});

test('the fragment sets each setting and is no part of the URL', () => {
  assert.deepEqual(parseDeliverySettings('https://a.example/#ct=300&rt=400&tt=500&rc=5&rp=4xx,5xx'), {
    url: 'https://a.example/',
    connectMs: 300,
    readMs: 400,
    totalMs: 500,
    retries: 5,
    retryOn: new Set(['4xx', '5xx']),
  });
  assert.deepEqual(parseDeliverySettings('http://a/#rp=5XX%2Cct').retryOn, new Set(['5xx', 'ct']));
});

test('a number outside its range becomes the nearest within', () => {
  const most = parseDeliverySettings('http://a/#ct=99999&rt=99999&tt=99999&rc=99');
  assert.deepEqual([most.connectMs, most.readMs, most.totalMs, most.retries], [10_000, 40_000, 55_000, 5]);
  const least = parseDeliverySettings('http://a/#ct=0&rt=0&tt=0&rc=0');
  assert.deepEqual([least.connectMs, least.readMs, least.totalMs, least.retries], [100, 100, 100, 0]);
});

test('a setting that is no number or no reason has its default', () => {
  const settings = parseDeliverySettings('http://a/#ct=fast&rc=-1&rt=&er=here&section&rp=never');
  assert.deepEqual([settings.connectMs, settings.readMs, settings.retries], [2000, 40_000, 1]);
  assert.deepEqual(settings.retryOn, new Set());
});
