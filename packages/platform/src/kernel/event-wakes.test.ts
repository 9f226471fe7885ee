import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryBuses, createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import { shareEventWakes } from './event-wakes.ts';
import { createNodeMessages } from './node-messages.ts';

/** A node of which the test makes commits; it counts the wakes by other nodes. */
function world() {
  const clock = createVirtualClock();
  const log = createRecordingLog();
  const buses = createMemoryBuses(clock);
  const nodeOf = (name: string) => {
    const listeners = new Set<() => void>();
    const commit = () => {
      for (const listener of listeners) listener();
    };
    const node = { wakes: 0, commit, stop: () => {} };
    const messages = createNodeMessages({ bus: buses.join(name), clock, log });
    node.stop = shareEventWakes({
      clock,
      messages,
      outbox: {
        subscribe(listener, which) {
          assert.equal(which, 'of-this-process');
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        committedElsewhere: () => void node.wakes++,
      },
    });
    return node;
  };
  return { clock, one: nodeOf('one'), two: nodeOf('two'), three: nodeOf('three') };
}

test('a commit with events wakes the readers of all other nodes within 50 ms', async () => {
  const { clock, one, two, three } = world();
  one.commit();
  await clock.advance(50);
  assert.deepEqual([one.wakes, two.wakes, three.wakes], [0, 1, 1]);
});

test('the commits of 50 ms are one notice', async () => {
  const { clock, one, two } = world();
  for (let commit = 0; commit < 100; commit++) {
    one.commit();
    await clock.advance(1);
  }
  await clock.advance(50);
  assert.equal(two.wakes, 2);
});

test('a node that has stopped sends no notice and leaves no timer', async () => {
  const { clock, one, two } = world();
  one.commit();
  one.stop();
  assert.equal(clock.pending, 0);
  one.commit();
  await clock.advance(1_000);
  assert.equal(two.wakes, 0);
});
