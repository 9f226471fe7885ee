import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstWatch, type NodeWatchInput, stepNodeWatch } from './node-watch.ts';

/** Beats of the peer 7, which answers the first question, read every two seconds; and what the last look asks for. */
function effectsAfter(beats: readonly number[], everyMs = 2_000, answers = true) {
  let state = firstWatch;
  let now = 1_000;
  let effects: readonly object[] = [];
  const step = (input: NodeWatchInput) => ({ state, effects } = stepNodeWatch(state, input, now));
  for (const beat of beats) {
    step({ type: 'looked', peers: [{ incarnation: 7, beat }] });
    const asked = effects;
    if (answers) step({ type: 'answered', incarnation: 7 });
    effects = asked;
    now += everyMs;
  }
  const noReceiver = () => stepNodeWatch(state, { type: 'no-receiver', incarnation: 7 }, now).effects;
  return { effects, noReceiver };
}

const end = (beat: number) => ({ do: 'end', incarnation: 7, beat });
const ask = { do: 'ask', incarnation: 7 };

describe('the watch over the heartbeats of other nodes', () => {
  for (const [rule, beats, effects] of [
    ['a node that counts is left alone', [1, 2, 3, 4, 5, 6, 7, 8], []],
    ['a slow heartbeat is no reason to ask', [1, 1, 2, 2, 3], []],
    ['a node is asked when its count has stood still for four seconds', [5, 5, 5], [ask]],
    ['a node that counts again is left alone', [5, 5, 5, 5, 5, 6], []],
    ['a node is ended when its count has stood still for ten seconds', [5, 5, 5, 5, 5, 5], [end(5)]],
    ['its end is tried again until its row says so', [5, 5, 5, 5, 5, 5, 5], [end(5)]],
  ] as const)
    test(rule, () => assert.deepEqual(effectsAfter(beats).effects, effects));

  test('a node whose count stands still is ended at once when the bus has no receiver for it', () => {
    assert.deepEqual(effectsAfter([5, 5, 5]).noReceiver(), [end(5)]);
  });

  test('a node that counts is not ended because the bus does not reach it', () => {
    assert.deepEqual(effectsAfter([5, 5, 6]).noReceiver(), []);
  });

  test('a node that starts is asked until it is on the bus, and not ended before its count has stood still for ten seconds', () => {
    const starting = (beats: readonly number[]) => effectsAfter(beats, 2_000, false);
    assert.deepEqual(starting([0]).effects, [ask]);
    assert.deepEqual(starting([0, 0, 1]).effects, [ask]);
    assert.deepEqual(starting([0, 0, 0]).noReceiver(), []);
    assert.deepEqual(starting([0, 0, 0, 0, 0, 0]).effects, [end(0)]);
  });

  test('a node that is met between two looks is asked at once, and its silence counts from the next look', () => {
    const peers = [{ incarnation: 7, beat: 5 }];
    const met = stepNodeWatch(firstWatch, { type: 'met', peers }, 0);
    assert.deepEqual(met.effects, [ask]);
    assert.deepEqual(stepNodeWatch(met.state, { type: 'met', peers }, 100).effects, []);
    const { state } = stepNodeWatch(met.state, { type: 'answered', incarnation: 7 }, 100);
    assert.deepEqual(stepNodeWatch(state, { type: 'looked', peers }, 9_000).effects, []);
  });

  test('an observer that was stopped for a minute accuses no node of the time that it has missed', () => {
    assert.deepEqual(effectsAfter([5, 5], 60_000).effects, []);
  });

  test('a node whose row is gone is forgotten', () => {
    let { state } = stepNodeWatch(firstWatch, { type: 'looked', peers: [{ incarnation: 7, beat: 1 }] }, 0);
    state = stepNodeWatch(state, { type: 'looked', peers: [] }, 2_000).state;
    assert.equal(state.peers.size, 0);
  });
});
