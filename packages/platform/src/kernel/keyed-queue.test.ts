import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyedQueue } from './keyed-queue.ts';

test('work of one key runs in order, one at a time; other keys do not wait', async () => {
  const queue = createKeyedQueue();
  const seen: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = queue.run('a', async () => {
    seen.push('a1 begins');
    await first.promise;
    seen.push('a1 ends');
    return 1;
  });
  const two = queue.run('a', async () => {
    seen.push('a2');
    return 2;
  });
  await queue.run('b', async () => {
    seen.push('b');
  });
  assert.deepEqual(seen, ['a1 begins', 'b']);
  first.resolve();
  assert.deepEqual(await Promise.all([one, two]), [1, 2]);
  assert.deepEqual(seen, ['a1 begins', 'b', 'a1 ends', 'a2']);
});

test('work that fails rejects its own caller only, and its key is removed', async () => {
  const queue = createKeyedQueue();
  const failing = queue.run('a', () => Promise.reject(new Error('on purpose')));
  const throwing = queue.run('a', () => {
    throw new Error('at once');
  });
  const after = queue.run('a', async () => 'went on');
  await assert.rejects(failing, /on purpose/);
  await assert.rejects(throwing, /at once/);
  assert.equal(await after, 'went on');
  await new Promise(setImmediate);
  assert.equal(queue.keys(), 0);
});
