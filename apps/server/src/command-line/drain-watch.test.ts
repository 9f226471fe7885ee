import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClusterNodeItem } from '@jackfield/contract/console';
import { type DrainWatch, type DrainWatchInput, stepDrainWatch } from './drain-watch.ts';

const drained: ClusterNodeItem = {
  node: 'one',
  incarnation: 'first',
  answers: true,
  state: 'draining',
  version: '0.1.0',
  calls: 2,
  multiparty_calls: 1,
  load: 0.1,
  takes_calls: false,
  roles: [],
  started_at: '2026-02-01T10:00:00.000Z',
  alive_at: '2026-02-01T10:10:00.000Z',
};
const other: ClusterNodeItem = { ...drained, node: 'two', incarnation: 'other', state: 'serving' };
const successor: ClusterNodeItem = { ...drained, incarnation: 'second', state: 'serving', calls: 5 };

const listed = (...nodes: readonly ClusterNodeItem[]): DrainWatchInput => ({ kind: 'listed', nodes });
const lost: DrainWatchInput = {
  kind: 'lost',
  why: 'http://127.0.0.1:8080 of JACKFIELD cannot be reached: refused.',
};

/** What the command prints, and the node that it knows then; an input comes every 2 s. */
function played(...inputs: readonly DrainWatchInput[]) {
  let state: DrainWatch = { name: 'one', item: drained, lostAt: undefined };
  const printed: string[] = [];
  for (const [index, input] of inputs.entries()) {
    const step = stepDrainWatch(state, input, index * 2_000);
    state = step.state;
    for (const effect of step.effects)
      printed.push(effect.kind === 'report' ? effect.line : `${effect.kind}: ${effect.sentence}`);
  }
  return { printed, item: state.item };
}

describe('the wait for the last call of a node that drains', () => {
  it('ends with the last call', () => {
    const { printed } = played(listed(other, drained), listed(other, { ...drained, calls: 0 }));
    assert.deepEqual(printed, ['live calls: 2', 'finish: one is draining; live calls: 0']);
  });

  it('ends with the process, and names the calls of its last report', () => {
    const unreachable: ClusterNodeItem = { ...drained, state: 'unreachable', calls: null };
    const { printed, item } = played(listed(other, drained), listed(other, unreachable), listed(other));
    assert.deepEqual(printed, [
      'live calls: 2',
      'live calls: unknown',
      'finish: one has ended; live calls in its last report: 2',
    ]);
    assert.deepEqual([item.state, item.calls, item.multiparty_calls], ['ending', 0, 0]);
  });

  it('fails where a new process of the node accepts calls', () => {
    const starting: ClusterNodeItem = { ...successor, state: 'starting', calls: 0 };
    const { printed } = played(
      listed(drained),
      lost,
      lost,
      listed(starting, other),
      listed(successor, other),
    );
    assert.deepEqual(printed, [
      'live calls: 2',
      'http://127.0.0.1:8080 of JACKFIELD cannot be reached: refused. Trying again for 60 s.',
      'one is restarting',
      'fail: one was restarted, and its new process second accepts new calls; live calls in its last report before: 2. Drain it again: jackfield nodes drain one --wait',
    ]);
  });

  it('names a process without a node by its incarnation', () => {
    const { printed } = played(listed({ ...successor, node: '' }));
    assert.deepEqual(printed, ['finish: one has ended; live calls in its last report: 2']);
    const alone = stepDrainWatch(
      { name: 'first', item: { ...drained, node: '' }, lostAt: undefined },
      listed({ ...successor, node: '' }),
      0,
    );
    const [effect] = alone.effects;
    assert.match(effect?.kind === 'fail' ? effect.sentence : '', /jackfield nodes drain second --wait$/);
  });

  it('goes on with a new process that drains as well', () => {
    const drains: ClusterNodeItem = { ...successor, state: 'draining' };
    const { printed } = played(listed(drains), listed({ ...drains, calls: 0 }));
    assert.deepEqual(printed, ['live calls: 5', 'finish: one is draining; live calls: 0']);
  });

  it('fails where the drain was ended', () => {
    const { printed } = played(listed({ ...drained, state: 'serving' }));
    assert.deepEqual(printed, ['fail: one accepts new calls again: its drain was ended while it had calls.']);
  });

  it('fails when no server has answered for 60 s, and starts the count anew after an answer', () => {
    const silent = (count: number) => Array.from({ length: count }, () => lost);
    const { printed } = played(...silent(30), listed(drained), ...silent(31));
    assert.deepEqual(printed, [
      'http://127.0.0.1:8080 of JACKFIELD cannot be reached: refused. Trying again for 60 s.',
      'live calls: 2',
      'http://127.0.0.1:8080 of JACKFIELD cannot be reached: refused. Trying again for 60 s.',
      'fail: http://127.0.0.1:8080 of JACKFIELD cannot be reached: refused. There was no answer for 60 s; live calls in the last report of one: 2.',
    ]);
  });
});
