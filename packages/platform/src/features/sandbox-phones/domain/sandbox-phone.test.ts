import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { behaviours } from './behaviours.ts';
import { calledPhone, callingPhone, type SandboxPhoneInput, sandboxPhoneMachine } from './sandbox-phone.ts';

function call(number: string, ...inputs: [SandboxPhoneInput, number][]) {
  const behaviour = behaviours.get(number);
  assert.ok(behaviour);
  let phone = calledPhone(behaviour, { from: '+12025550000', to: number });
  return inputs.map(([input, at]) => {
    const { state, effects } = sandboxPhoneMachine.step(phone, input, at);
    phone = state;
    return effects;
  });
}

describe('the phone of the sandbox', () => {
  it('+12025550100 answers at once and echoes', () => {
    assert.deepEqual(call('+12025550100', [{ type: 'invited' }, 0], [{ type: 'leg-answered' }, 10]), [
      [{ do: 'answer' }],
      [{ do: 'echo' }],
    ]);
  });

  it('+12025550102 is busy and +12025550104 rejects', () => {
    assert.deepEqual(call('+12025550102', [{ type: 'invited' }, 0]), [[{ do: 'hang-up', status: 486 }]]);
    assert.deepEqual(call('+12025550104', [{ type: 'invited' }, 0]), [[{ do: 'hang-up', status: 603 }]]);
  });

  it('+12025550103 rings and starts no timer that answers', () => {
    assert.deepEqual(call('+12025550103', [{ type: 'invited' }, 0]), [[{ do: 'ring' }]]);
  });

  it('+12025550105 answers 5 s after it began to ring', () => {
    assert.deepEqual(
      call('+12025550105', [{ type: 'invited' }, 100], [{ type: 'timer-fired', key: 'pick-up' }, 5100]),
      [[{ do: 'ring' }, { do: 'start-timer', key: 'pick-up', at: 5100 }], [{ do: 'answer' }]],
    );
  });

  it('+12025550106 presses 1 two seconds after the answer, then talks', () => {
    assert.deepEqual(
      call('+12025550106', [{ type: 'leg-answered' }, 0], [{ type: 'timer-fired', key: 'press' }, 2000]),
      [[{ do: 'start-timer', key: 'press', at: 2000 }], [{ do: 'press', digits: '1' }, { do: 'talk' }]],
    );
  });

  it('+12025550108 hangs up 10 s after the answer', () => {
    assert.deepEqual(
      call('+12025550108', [{ type: 'leg-answered' }, 0], [{ type: 'timer-fired', key: 'hang-up' }, 10_000]),
      [[{ do: 'echo' }, { do: 'start-timer', key: 'hang-up', at: 10_000 }], [{ do: 'hang-up', status: 480 }]],
    );
  });

  it('+12025550107 greets, beeps, and records until its caller hangs up', () => {
    assert.deepEqual(
      call(
        '+12025550107',
        [{ type: 'invited' }, 0],
        [{ type: 'leg-answered' }, 10],
        [{ type: 'play-ended', key: 'greeting' }, 3000],
        [{ type: 'play-ended', key: 'beep' }, 3500],
        [{ type: 'leg-ended' }, 9000],
      ),
      [
        [{ do: 'answer' }],
        [{ do: 'greet' }],
        [{ do: 'beep' }],
        [
          { do: 'record', from: '+12025550000', to: '+12025550107' },
          { do: 'start-timer', key: 'hang-up', at: 123_500 },
        ],
        [{ do: 'stop-recording' }, { do: 'leave-mix' }],
      ],
    );
  });

  it('a voicemail whose caller hangs up during the greeting records nothing', () => {
    const effects = call('+12025550107', [{ type: 'leg-answered' }, 10], [{ type: 'leg-ended' }, 2000]);
    assert.deepEqual(effects, [[{ do: 'greet' }], [{ do: 'leave-mix' }]]);
  });

  it('leaves its mix when the call ends, and has no further effect', () => {
    assert.deepEqual(
      call(
        '+12025550109',
        [{ type: 'leg-answered' }, 0],
        [{ type: 'leg-ended' }, 9],
        [{ type: 'leg-ended' }, 10],
      ),
      [[{ do: 'tone', frequencyHz: 1000 }], [{ do: 'leave-mix' }], []],
    );
  });

  it('a calling phone dials, speaks and presses its keys from the answer on, and hangs up after hangUpAfterMs', () => {
    let phone = callingPhone(
      {
        sound: { kind: 'silence' },
        press: { digits: 'WW1', afterMs: 0 },
        hangUpAfterMs: 9000,
      },
      { from: '+12025550199', to: 'alice' },
    );
    const step = (input: SandboxPhoneInput, at: number) => {
      const { state, effects } = sandboxPhoneMachine.step(phone, input, at);
      phone = state;
      return effects;
    };
    assert.deepEqual(step({ type: 'dialled', uri: 'sip:alice@192.0.2.1' }, 0), [
      { do: 'dial', from: '+12025550199', to: 'alice', uri: 'sip:alice@192.0.2.1' },
      { do: 'start-timer', key: 'hang-up', at: 120_000 },
    ]);
    assert.deepEqual(step({ type: 'leg-answered' }, 1000), [
      { do: 'cancel-timer', key: 'hang-up' },
      { do: 'be-silent' },
      { do: 'start-timer', key: 'press', at: 1000 },
      { do: 'start-timer', key: 'hang-up', at: 10_000 },
    ]);
    assert.deepEqual(step({ type: 'timer-fired', key: 'press' }, 1000), [{ do: 'press', digits: 'WW1' }]);
    assert.deepEqual(step({ type: 'timer-fired', key: 'hang-up' }, 10_000), [{ do: 'hang-up', status: 480 }]);
    assert.deepEqual(step({ type: 'leg-ended' }, 10_050), [{ do: 'leave-mix' }]);
  });
});
