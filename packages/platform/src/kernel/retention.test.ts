import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import { createRetention } from './retention.ts';

const limits = { batch: 10, everyMs: 60_000, pauseMs: 100 };

test('old records are removed batch after batch, then once a minute; kept for ever where no time is given', async () => {
  const clock = createVirtualClock({ startAt: 1_000_000 });
  const asked: string[] = [];
  let left = 25;
  const retention = createRetention(
    { clock, log: createRecordingLog() },
    [
      {
        name: 'calls',
        keepMs: 5_000,
        async removeEnded(endedBefore, limit) {
          const removed = Math.min(left, limit);
          left -= removed;
          asked.push(`${endedBefore} at ${clock.now()}: ${removed}`);
          return removed;
        },
      },
      {
        name: 'rooms',
        keepMs: undefined,
        removeEnded: () => Promise.reject(new Error('these are kept for ever')),
      },
    ],
    { limits },
  );
  retention.start();
  await clock.advance(121_000);
  assert.deepEqual(asked, [
    '1055000 at 1060000: 10',
    '1055100 at 1060100: 10',
    '1055200 at 1060200: 5',
    '1115200 at 1120200: 0',
  ]);
  await retention.close();
  assert.equal(clock.pending, 0);
});

test('a removal that fails is logged and retried; close waits for a removal that is going on', async () => {
  const clock = createVirtualClock();
  const log = createRecordingLog();
  const under = Promise.withResolvers<number>();
  let asked = 0;
  const kind = {
    name: 'calls',
    keepMs: 1_000,
    removeEnded: () => (++asked === 1 ? Promise.reject(new Error('the disk is full')) : under.promise),
  };
  const retention = createRetention({ clock, log }, [kind], { limits });
  retention.start();
  await clock.advance(120_000);
  assert.equal(asked, 2);
  let isClosed = false;
  const closing = retention.close().then(() => {
    isClosed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isClosed, false);
  under.resolve(limits.batch);
  await closing;
  await clock.advance(600_000);
  assert.equal(asked, 2, 'nothing is removed after the end');
});
