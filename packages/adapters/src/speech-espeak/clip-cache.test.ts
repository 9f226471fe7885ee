import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClipCache } from './clip-cache.ts';

const clip = (samples: number) => async () => ({ sampleRate: 8000, samples: new Int16Array(samples) });

test('the least recently used clips leave when the bytes run out', async () => {
  const cache = createClipCache(1000);
  const first = await cache.get('a', clip(200));
  await cache.get('b', clip(200));
  assert.equal(await cache.get('a', clip(1)), first);
  await cache.get('c', clip(200));
  assert.equal(cache.size(), 800);
  assert.equal(await cache.get('a', clip(1)), first);
  assert.equal((await cache.get('b', clip(3))).samples.length, 3);
});

test('a clip larger than the cache is handed out and not kept', async () => {
  const cache = createClipCache(10);
  assert.equal((await cache.get('a', clip(100))).samples.length, 100);
  assert.equal(cache.size(), 0);
});

test('a failure is not kept', async () => {
  const cache = createClipCache(1000);
  await assert.rejects(cache.get('a', () => Promise.reject(new Error('no'))));
  assert.equal((await cache.get('a', clip(5))).samples.length, 5);
});
