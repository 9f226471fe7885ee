import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guardRealTime } from './priority-guard.ts';
import { loadThreadPriorities, type ThreadPriority } from './thread-priority.ts';

/** A thread whose use of a core the test sets, and its guard. */
function guarded() {
  let nowMs = 0;
  let usedMs = 0;
  let look = (): void => {};
  const changes: ThreadPriority[] = [];
  const steps: string[] = [];
  const end = guardRealTime(
    7,
    {
      cpuMs: () => usedMs,
      stepDown: (thread) => steps.push(`down ${thread}`),
      stepUp(thread) {
        steps.push(`up ${thread}`);
        return true;
      },
    },
    (priority) => changes.push(priority),
    {
      now: () => nowMs,
      every(_ms, act) {
        look = act;
        return () => {
          look = () => {};
        };
      },
    },
  );
  return {
    changes,
    steps,
    end,
    run(ms: number, share: number) {
      nowMs += ms;
      usedMs += ms * share;
      look();
    },
  };
}

test('a real-time thread that uses a whole core becomes a normal thread, and real-time again after ten calm seconds', () => {
  const thread = guarded();
  for (let k = 0; k < 100; k++) thread.run(500, 0.85);
  assert.deepEqual(thread.changes, []);
  thread.run(500, 1);
  assert.deepEqual([thread.changes, thread.steps], [['raised'], ['down 7']]);
  for (let k = 0; k < 19; k++) thread.run(500, 0.5);
  thread.run(500, 0.8);
  for (let k = 0; k < 19; k++) thread.run(500, 0.5);
  assert.deepEqual(thread.changes, ['raised']);
  thread.run(500, 0.5);
  assert.deepEqual(thread.changes, ['raised', 'real-time']);
  assert.deepEqual(thread.steps, ['down 7', 'up 7']);
  thread.end();
  thread.run(500, 1);
  assert.equal(thread.changes.length, 2);
});

test('the CPU time of a thread is read from its own clock', {
  skip: process.platform === 'linux' ? false : 'threads are known by number on Linux',
}, async () => {
  const priorities = (await loadThreadPriorities())!;
  // The main thread has the number of its process.
  const before = priorities.cpuMs(process.pid);
  // Of this thread alone: those of V8 may use a core as well.
  const usedUs = () => process.threadCpuUsage().user + process.threadCpuUsage().system;
  const end = usedUs() + 20_000;
  while (usedUs() < end);
  assert.ok(priorities.cpuMs(process.pid) - before >= 10);
});
