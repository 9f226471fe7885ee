import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRepeatedWork } from './repeated-work.ts';

/** Work whose runs end when the test says so. */
function createRuns() {
  const runs: PromiseWithResolvers<void>[] = [];
  const work = createRepeatedWork(() => {
    runs.push(Promise.withResolvers());
    return runs.at(-1)!.promise;
  });
  return { work, runs };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('calls during a run repeat the work once, after it, and resolve together', async () => {
  const { work, runs } = createRuns();
  const calls = Promise.all([work.run(), work.run(), work.run()]);
  assert.equal(runs.length, 1);
  runs[0]!.resolve();
  await turn();
  assert.equal(runs.length, 2);
  runs[1]!.resolve();
  await calls;
  assert.deepEqual([runs.length, work.running], [2, undefined]);
});

test('a run that fails rejects and is not repeated; the next call runs again', async () => {
  const { work, runs } = createRuns();
  const calls = Promise.allSettled([work.run(), work.run()]);
  runs[0]!.reject(new Error('the database is unavailable'));
  assert.deepEqual(
    (await calls).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  const next = work.run();
  runs[1]!.resolve();
  await next;
  assert.equal(runs.length, 2);
});
