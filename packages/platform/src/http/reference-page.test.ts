import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { referenceFiles, registerReferencePage } from './reference-page.ts';

test('a reference page that could not be loaded is loaded again with the next request, and then once', async () => {
  const app = fastify();
  let loads = 0;
  registerReferencePage(app, () => {
    loads += 1;
    return loads === 1 ? Promise.reject(new Error('too many open files')) : referenceFiles();
  });
  const statuses: number[] = [];
  for (const path of ['/docs/', '/docs/', '/docs/js/scalar.js'])
    statuses.push((await app.inject(path)).statusCode);
  assert.deepEqual([statuses, loads], [[500, 200, 200], 2]);
  await app.close();
});
