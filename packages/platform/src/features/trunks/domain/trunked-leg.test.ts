import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LegEnd } from '@jackfield/ports';
import fc from 'fast-check';
import {
  newTrunkedLeg,
  type TrunkedLegEffect,
  type TrunkedLegInput,
  trunkedLegMachine,
} from './trunked-leg.ts';

function walk(places: number, inputs: readonly (TrunkedLegInput | number)[]) {
  let state = newTrunkedLeg(places);
  let now = 1_000;
  const effects: TrunkedLegEffect[] = [];
  for (const input of [{ type: 'dialled' } as const, ...inputs]) {
    if (typeof input === 'number') {
      now += input;
      continue;
    }
    const step = trunkedLegMachine.step(state, input, now);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects, does: effects.map((effect) => effect.do) };
}

const rejected = (sipStatus: number): TrunkedLegInput => ({
  type: 'ended',
  end: { by: 'rejected', sipStatus },
});
const ended = (end: LegEnd): TrunkedLegInput => ({ type: 'ended', end });
const invited = (effects: readonly TrunkedLegEffect[]) =>
  effects.flatMap((effect) => (effect.do === 'invite' ? [effect.at] : []));

test('after 408, 5xx, silence and a failed transport the fallback gets the call', () => {
  for (const failure of [
    rejected(408),
    rejected(500),
    rejected(503),
    ended({ by: 'no-response' }),
    ended({ by: 'transport-failed' }),
  ]) {
    const { effects, state } = walk(2, [failure]);
    assert.deepEqual(invited(effects), [0, 1], JSON.stringify(failure));
    assert.equal(state.phase, 'trying');
  }
});

test('busy, declined and every other answer of whoever was called is the end', () => {
  for (const failure of [
    rejected(404),
    rejected(401),
    rejected(486),
    rejected(600),
    rejected(603),
    ended({ by: 'media-failed' }),
  ]) {
    const { effects, state } = walk(2, [failure]);
    assert.deepEqual(invited(effects), [0], JSON.stringify(failure));
    assert.equal(state.phase, 'ended');
    assert.equal(effects.at(-1)?.do, 'tell-end');
  }
});

test('a primary that has not rung for 8 s is hung up on, and the fallback is called when that has ended', () => {
  const silent = walk(2, [8_000, { type: 'timer-fired' }]);
  assert.deepEqual(silent.does, ['start-timer', 'invite', 'hang-up']);
  const [timer] = silent.effects;
  assert.deepEqual(timer, { do: 'start-timer', at: 9_000 });
  // Even when its answer crosses our giving up, whoever waits hears of nothing but the fallback.
  const crossed = walk(2, [{ type: 'timer-fired' }, { type: 'answered' }, ended({ by: 'local' })]);
  assert.deepEqual(invited(crossed.effects), [0, 1]);
  assert.ok(!crossed.does.includes('tell'));
});

test('a place that rings has the call: nothing goes on from there', () => {
  const { effects, does } = walk(2, [{ type: 'ringing' }, { type: 'timer-fired' }, rejected(503)]);
  assert.deepEqual(invited(effects), [0]);
  assert.deepEqual(does, ['start-timer', 'invite', 'cancel-timer', 'tell', 'cancel-timer', 'tell-end']);
});

test('when the last one fails too, its failure is the end; both are told', () => {
  const { effects } = walk(2, [ended({ by: 'no-response' }), rejected(500)]);
  assert.deepEqual(
    effects.flatMap((effect) => (effect.do === 'tell-failed' ? [`${effect.at} ${effect.because}`] : [])),
    ['0 silent', '1 rejected'],
  );
  assert.deepEqual(effects.at(-1), { do: 'tell-end', end: { by: 'rejected', sipStatus: 500 } });
});

test('who has hung up is not connected to the fallback', () => {
  for (const last of [rejected(487), rejected(503), ended({ by: 'local' })]) {
    const { effects, does } = walk(2, [{ type: 'hang-up' }, last]);
    assert.deepEqual(invited(effects), [0]);
    assert.equal(does.at(-1), 'tell-end');
  }
  const meanwhile = walk(2, [{ type: 'timer-fired' }, { type: 'hang-up' }, ended({ by: 'local' })]);
  assert.deepEqual(invited(meanwhile.effects), [0]);
});

test('in whatever order things come, a leg ends at most once and each place is called at most once, in order', () => {
  const input = fc.oneof(
    fc.constantFrom<TrunkedLegInput>(
      { type: 'ringing' },
      { type: 'answered' },
      { type: 'hang-up' },
      { type: 'timer-fired' },
      ended({ by: 'local' }),
      ended({ by: 'no-response' }),
      ended({ by: 'remote-bye' }),
    ),
    fc.constantFrom(408, 486, 487, 503, 603).map(rejected),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(input, { maxLength: 12 }), (places, inputs) => {
      const { effects, does, state } = walk(places, inputs);
      const order = invited(effects);
      assert.deepEqual(order, [...order.keys()]);
      assert.ok(order.length <= places);
      const ends = does.filter((each) => each === 'tell-end').length;
      assert.equal(ends, state.phase === 'ended' ? 1 : 0);
      if (ends === 1) assert.ok(!does.slice(does.indexOf('tell-end') + 1).includes('tell'));
    }),
  );
});
