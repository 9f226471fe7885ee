import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type DirectCallInput, directCallMachine, isDirectCallOver, newDirectCall } from './direct-call.ts';
import { callEnds } from './hangup-cause.ts';

const wanted = { account: 'MA1', from: 'a', to: 'b', callerName: 'A' };
const legs = ['caller', 'callee'];
const end = callEnds(3010, 'Call recipient');

const input: fc.Arbitrary<DirectCallInput> = fc.oneof(
  fc.constant<DirectCallInput>({ type: 'begin' }),
  fc.constantFrom(...legs).map((leg): DirectCallInput => ({ type: 'leg-ringing', leg })),
  fc.constantFrom(...legs).map((leg): DirectCallInput => ({ type: 'leg-answered', leg })),
  fc.constantFrom(...legs).map((leg): DirectCallInput => ({ type: 'leg-ended', leg, end })),
);

describe('a direct call, whatever order its notices come in', () => {
  it('leaves no leg alive: once one ended, the other was hung up or never existed', () => {
    fc.assert(
      fc.property(fc.array(input, { maxLength: 12 }), (inputs) => {
        let call = newDirectCall(wanted, 'caller', 'callee');
        const hungUp = new Set<string>();
        const ended = new Set<string>();
        let dialled = 0;
        let bridges = 0;
        for (const each of inputs) {
          // Signalling ends a leg once, and says nothing of one that was never dialled.
          if ('leg' in each && (ended.has(each.leg) || (each.leg === 'callee' && dialled === 0))) continue;
          const { state, effects } = directCallMachine.step(call, each, 0);
          call = state;
          if (each.type === 'leg-ended') ended.add(each.leg);
          for (const effect of effects) {
            if (effect.do === 'dial-callee') dialled++;
            if (effect.do === 'bridge') bridges++;
            if (effect.do === 'unbridge') bridges--;
            if (effect.do === 'hang-up') hungUp.add(effect.leg);
          }
        }
        assert.ok(dialled <= 1);
        for (const leg of ended) {
          const other = leg === 'caller' ? 'callee' : 'caller';
          const exists = other === 'caller' || dialled === 1;
          assert.ok(!exists || ended.has(other) || hungUp.has(other), `${other} was left alive`);
        }
        if (ended.size > 0) assert.equal(bridges, 0, 'no mix outlives a leg');
        assert.equal(isDirectCallOver(call), ended.has('caller') && (dialled === 0 || ended.has('callee')));
      }),
    );
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
