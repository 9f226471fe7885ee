import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createVirtualClock, type VirtualClock } from '@jackfield/testkit';
import { createTurns, type Rest } from './turns.ts';

let clock: VirtualClock;
let running: { readonly name: string; readonly end: (rest: Rest) => Promise<void> }[];

beforeEach(() => {
  clock = createVirtualClock();
  running = [];
});

function turnsOf(concurrent: number) {
  return createTurns(clock, concurrent, (name) => {
    const { promise, resolve } = Promise.withResolvers<Rest>();
    running.push({
      name,
      async end(rest) {
        running = running.filter((each) => each.name !== name);
        resolve(rest);
        await new Promise(setImmediate);
      },
    });
    return promise;
  });
}

const names = () => running.map(({ name }) => name);

test('turns beyond the limit wait in order; a name without a rest is gone', async () => {
  const turns = turnsOf(2);
  for (const name of ['a', 'b', 'c', 'd']) turns.wake(name);
  assert.deepEqual([names(), turns.size], [['a', 'b'], 4]);
  await running[0]!.end(undefined);
  assert.deepEqual([names(), turns.size, turns.has('a')], [['b', 'c'], 3, false]);
});

test('a name with a rest of 0 gets its next turn after the waiting ones', async () => {
  const turns = turnsOf(1);
  for (const name of ['a', 'b']) turns.wake(name);
  await running[0]!.end(0);
  assert.deepEqual(names(), ['b']);
  await running[0]!.end(undefined);
  assert.deepEqual(names(), ['a']);
});

test('a rest ends at its time, or when the name is woken', async () => {
  const turns = turnsOf(1);
  turns.wake('a');
  await running[0]!.end(1_000);
  assert.deepEqual([names(), turns.has('a')], [[], true]);
  await clock.advance(999);
  assert.deepEqual(names(), []);
  await clock.advance(1);
  assert.deepEqual(names(), ['a']);
  await running[0]!.end(1_000);
  turns.wake('a');
  assert.deepEqual([names(), turns.size], [['a'], 1]);
});

test('a name that is woken during its turn gets another one, whatever its rest', async () => {
  const turns = turnsOf(1);
  for (const rest of [undefined, 1_000]) {
    turns.wake('a');
    turns.wake('a');
    await running[0]!.end(rest);
    assert.deepEqual([names(), turns.size], [['a'], 1]);
    await running[0]!.end(undefined);
    assert.equal(turns.size, 0);
  }
});

test('close waits for the running turns; none begins after it', async () => {
  const turns = turnsOf(1);
  turns.wake('b');
  await running[0]!.end(1_000);
  for (const name of ['a', 'c']) turns.wake(name);
  let isClosed = false;
  const closing = turns.close().then(() => {
    isClosed = true;
  });
  await new Promise(setImmediate);
  assert.deepEqual([names(), turns.size, isClosed], [['a'], 1, false]);
  await running[0]!.end(0);
  await closing;
  await clock.advance(1_000);
  assert.deepEqual([names(), turns.size], [[], 0]);
});
