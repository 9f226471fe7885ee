import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type DirectCallInput, directCallMachine, isDirectCallOver, newDirectCall } from './direct-call.ts';
import { callEnds } from './hangup-cause.ts';

const wanted = { account: 'MA1', mainAccount: 'MA1', from: 'a', to: 'b', callerName: 'A' };
const legs = ['caller', 'callee'];
const end = callEnds(3010, 'Call recipient');

const input: fc.Arbitrary<DirectCallInput> = fc.oneof(
  fc.constant<DirectCallInput>({ type: 'begin' }),
  fc.constantFrom(...legs).map((leg): DirectCallInput => ({ type: 'leg-ringing', leg })),
  fc.constantFrom(...legs).map((leg): DirectCallInput => ({ type: 'leg-answered', leg })),
  fc.constantFrom(...legs).map((leg): DirectCallInput => ({ type: 'leg-ended', leg, end })),
  fc.constantFrom(...legs).map((leg): DirectCallInput => ({ type: 'leg-taken', leg })),
  fc.constant<DirectCallInput>({ type: 'timer-fired', key: 'left-alone' }),
);

describe('a direct call, whatever order its notices come in', () => {
  it('leaves no leg alive: once one ended or was taken, the other was hung up, taken too, or never existed', () => {
    fc.assert(
      fc.property(fc.array(input, { maxLength: 14 }), (inputs) => {
        let call = newDirectCall(wanted, 'caller', 'callee');
        const hungUp = new Set<string>();
        const gone = new Set<string>();
        const taken = new Set<string>();
        let isTimerRunning = false;
        let dialled = 0;
        let bridges = 0;
        function take(each: DirectCallInput) {
          const { state, effects } = directCallMachine.step(call, each, 0);
          call = state;
          if (each.type === 'leg-taken') taken.add(each.leg);
          if (each.type === 'leg-ended' || each.type === 'leg-taken') gone.add(each.leg);
          for (const effect of effects) {
            if (effect.do === 'start-timer') isTimerRunning = true;
            if (effect.do === 'dial-callee') dialled++;
            if (effect.do === 'bridge') bridges++;
            if (effect.do === 'unbridge') bridges--;
            if (effect.do === 'hang-up') {
              assert.ok(!taken.has(effect.leg), 'a leg of somebody else is left alone');
              hungUp.add(effect.leg);
            }
          }
        }
        for (const each of inputs) {
          // A leg ends or is taken once, is silent then, and says nothing before it was dialled.
          if ('leg' in each && (gone.has(each.leg) || (each.leg === 'callee' && dialled === 0))) continue;
          if (each.type === 'timer-fired' && !isTimerRunning) continue;
          if (isDirectCallOver(call)) break;
          take(each);
        }
        if (isTimerRunning && !isDirectCallOver(call)) take({ type: 'timer-fired', key: 'left-alone' });
        assert.ok(dialled <= 1);
        for (const leg of gone) {
          const other = leg === 'caller' ? 'callee' : 'caller';
          const exists = other === 'caller' || dialled === 1;
          assert.ok(!exists || gone.has(other) || hungUp.has(other), `${other} was left alive`);
        }
        if (gone.size > 0) assert.equal(bridges, 0, 'no mix outlives a leg');
        assert.equal(isDirectCallOver(call), gone.has('caller') && (dialled === 0 || gone.has('callee')));
      }),
    );
  });

  it('gives whoever takes both legs the time to take the second', () => {
    let call = newDirectCall(wanted, 'caller', 'callee');
    const orders: unknown[] = [];
    const inputs: DirectCallInput[] = [
      { type: 'begin' },
      { type: 'leg-answered', leg: 'callee' },
      { type: 'leg-answered', leg: 'caller' },
      { type: 'leg-taken', leg: 'caller' },
      { type: 'leg-taken', leg: 'callee' },
    ];
    for (const each of inputs) {
      const { state, effects } = directCallMachine.step(call, each, 0);
      call = state;
      orders.push(...effects.map((effect) => effect.do));
    }
    assert.ok(isDirectCallOver(call));
    assert.ok(!orders.includes('hang-up'));
    assert.equal(orders.filter((order) => order === 'unbridge').length, 1);
  });

  it('answers the caller only after the callee, and bridges when both have answered', () => {
    let call = newDirectCall(wanted, 'caller', 'callee');
    const orders: string[] = [];
    const inputs: DirectCallInput[] = [
      { type: 'begin' },
      { type: 'leg-ringing', leg: 'callee' },
      { type: 'leg-answered', leg: 'callee' },
      { type: 'leg-answered', leg: 'caller' },
      { type: 'leg-ended', leg: 'caller', end: callEnds(4000, 'Caller') },
    ];
    for (const each of inputs) {
      const { state, effects } = directCallMachine.step(call, each, 0);
      call = state;
      orders.push(...effects.map((effect) => effect.do));
    }
    assert.deepEqual(orders, [
      'dial-callee',
      'ring-caller',
      'answer-caller',
      'bridge',
      'unbridge',
      'hang-up',
    ]);
  });
});
