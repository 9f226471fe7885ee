import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callEnds, legSpec } from '@jackfield/ports';
import { directCallMachine, newDirectCall } from './direct-call.ts';

const spec = legSpec({ from: 'a', callerName: 'A', to: 'b' });
const requested = { account: 'MA1', mainAccount: 'MA1', spec };

test('a leg whose partner was taken away ends by the service: no request has named it', () => {
  let call = newDirectCall(requested, 'caller', 'callee');
  const feed = (input: Parameters<typeof directCallMachine.step>[1], now = 0) => {
    const { state, effects } = directCallMachine.step(call, input, now);
    call = state;
    return effects;
  };
  feed({ type: 'begin' });
  feed({ type: 'leg-answered', leg: 'callee' });
  feed({ type: 'leg-answered', leg: 'caller' });
  const [, timer] = feed({ type: 'leg-taken', leg: 'caller' }, 1_000);
  assert.deepEqual(timer, { do: 'start-timer', key: 'left-alone', at: 1_500 });
  assert.deepEqual(feed({ type: 'timer-fired', key: 'left-alone' }, 1_500), [
    { do: 'hang-up', leg: 'callee', end: callEnds(4000, 'Service') },
  ]);
});

test('a leg whose partner had a fault of the platform ends with that fault, answered or not', () => {
  const fault = callEnds(5010, 'Error');
  for (const [failing, other] of [
    ['caller', 'callee'],
    ['callee', 'caller'],
  ] as const) {
    for (const isAnswered of [true, false]) {
      let call = newDirectCall(requested, 'caller', 'callee');
      const feed = (input: Parameters<typeof directCallMachine.step>[1]) => {
        const { state, effects } = directCallMachine.step(call, input, 0);
        call = state;
        return effects;
      };
      feed({ type: 'begin' });
      if (isAnswered) for (const leg of ['callee', 'caller']) feed({ type: 'leg-answered', leg });
      const effects = feed({ type: 'leg-ended', leg: failing, end: fault });
      assert.deepEqual(effects.at(-1), { do: 'hang-up', leg: other, end: fault });
    }
  }
});
