import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryBuses, createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import { createCommitListeners } from './commit-listeners.ts';
import { shareEventWakes } from './event-wakes.ts';
import { createNodeMessages } from './node-messages.ts';

/** A node of which the test makes commits, and which counts the wakes of a reader and the notices that it gets. */
function world() {
  const clock = createVirtualClock();
  const log = createRecordingLog();
  const buses = createMemoryBuses(clock);
  const nodeOf = (name: string, hasReader = false) => {
    const listeners = createCommitListeners(clock, 100);
    const messages = createNodeMessages({ bus: buses.join(name), clock, log });
    const node = {
      wakes: 0,
      notices: 0,
      commit: listeners.committed,
      /** Begins a reader; returns its end. */
      read: () => listeners.subscribe(() => void node.wakes++),
      stop: () => {},
    };
    if (hasReader) node.read();
    node.stop = shareEventWakes({
      clock,
      messages,
      outbox: {
        ...listeners,
        committedElsewhere() {
          node.notices++;
          listeners.committedElsewhere();
        },
      },
    });
    return node;
  };
  return { clock, buses, nodeOf, one: nodeOf('one'), two: nodeOf('two'), three: nodeOf('three') };
}

test('a commit with events wakes the readers of all other nodes within 50 ms', async () => {
  const { clock, one, two, three } = world();
  two.read();
  three.read();
  await clock.advance(0);
  one.commit();
  await clock.advance(50);
  assert.deepEqual([one.wakes, two.wakes, three.wakes], [0, 1, 1]);
});

test('the commits of 50 ms are one notice', async () => {
  const { clock, one, two } = world();
  two.read();
  await clock.advance(0);
  for (let commit = 0; commit < 100; commit++) {
    one.commit();
    await clock.advance(1);
  }
  await clock.advance(50);
  assert.equal(two.wakes, 2);
});

test('a node without readers gets no notice, and a commit for no reader starts no timer', async () => {
  const { clock, one, two, three } = world();
  one.commit();
  assert.equal(clock.pending, 0);
  two.read();
  await clock.advance(0);
  one.commit();
  await clock.advance(50);
  assert.deepEqual([two.notices, three.notices], [1, 0]);
});

test('a node whose last reader has gone gets no notice after 25 s', async () => {
  const { clock, one, two } = world();
  const [end, endOther] = [two.read(), two.read()];
  end();
  await clock.advance(60_000);
  one.commit();
  await clock.advance(50);
  assert.equal(two.notices, 1);
  endOther();
  await clock.advance(25_000);
  one.commit();
  await clock.advance(50);
  assert.equal(two.notices, 1);
  assert.equal(clock.pending, 0);
});

test('a reader whose first notice was lost is woken after the next one', async () => {
  const { clock, buses, one, two } = world();
  buses.cut();
  two.read();
  await clock.advance(0);
  buses.mend();
  await clock.advance(10_000);
  one.commit();
  await clock.advance(50);
  assert.equal(two.wakes, 1);
});

test('a reader that was there before its node joined the bus is woken as well', async () => {
  const { clock, one, nodeOf } = world();
  const four = nodeOf('four', true);
  await clock.advance(0);
  one.commit();
  await clock.advance(50);
  assert.equal(four.wakes, 1);
});

test('a node that has stopped sends no notice and leaves no timer', async () => {
  const { clock, one, two } = world();
  one.read();
  two.read();
  await clock.advance(0);
  one.commit();
  one.stop();
  two.stop();
  assert.equal(clock.pending, 0);
  one.wakes = 0;
  one.commit();
  await clock.advance(1_000);
  assert.equal(two.notices, 0);
});
