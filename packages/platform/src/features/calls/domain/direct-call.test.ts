import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callEnds, legSpec } from '@jackfield/ports';
import { directCallMachine, newDirectCall } from './direct-call.ts';

test('a leg whose partner was taken away ends by the service: no request has named it', () => {
  const spec = legSpec({ from: 'a', callerName: 'A', to: 'b' });
  const requested = { account: 'MA1', mainAccount: 'MA1', spec };
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
