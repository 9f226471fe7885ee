import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callEnds } from '@jackfield/ports';
import { exampleLeg } from '../testing/example-leg.ts';
import type { CallLeg, CallLegInput } from './call-leg.ts';
import { callLegMachine } from './call-leg-machine.ts';

const now = 1_000_000;
const placed: CallLegInput = { type: 'place' };
const routed: CallLegInput = { type: 'routed', callee: 'alice', targets: [{ uri: 'sip:a@x' }] };
const kicked = callEnds(4030, 'API Request');

function run(leg: CallLeg, ...inputs: [CallLegInput, number?][]) {
  let state = leg;
  const effects = [];
  for (const [input, at = now] of inputs) {
    const result = callLegMachine.step(state, input, at);
    state = result.state;
    effects.push(...result.effects);
  }
  return { state, effects, orders: effects.map((effect) => effect.do) };
}

describe('an outbound leg', () => {
  it('looks for its destination and starts its ring timeout when it is placed', () => {
    const { effects } = run(exampleLeg({ spec: { ringTimeoutSeconds: 45 } }), [placed]);
    assert.deepEqual(effects[1], { do: 'start-timer', key: 'ring-timeout', at: now + 45_000 });
    assert.equal(effects[0]?.do, 'route');
  });

  it('dials once its destination is known', () => {
    const { state, orders } = run(exampleLeg(), [placed], [routed]);
    assert.equal(state.phase, 'dialling');
    assert.deepEqual(orders, ['route', 'start-timer', 'dial']);
  });

  it('ends at once without a target', () => {
    const end = callEnds(2020, 'Service');
    const { state, effects } = run(exampleLeg(), [placed], [{ type: 'unreachable', end }]);
    assert.deepEqual(state.end, end);
    assert.deepEqual(effects.at(-2), {
      do: 'notify-owner',
      owner: { kind: 'room', id: 'r1' },
      notice: { type: 'leg-ended', end, durationSeconds: 0 },
    });
  });

  it('that lost the race is cancelled as completed elsewhere, and with no other end', () => {
    for (const code of [9000, 9100, 9110, 6010, 1000] as const) {
      const { effects } = run(exampleLeg({ phase: 'ringing' }), [
        { type: 'hang-up', end: callEnds(code, 'Service') },
      ]);
      assert.equal('completedElsewhere' in effects[0]!, code === 9000);
    }
  });

  it('never dials when it was hung up while its destination was looked up', () => {
    const { state, orders } = run(exampleLeg(), [placed], [{ type: 'hang-up', end: kicked }], [routed]);
    assert.deepEqual(state.end, kicked);
    assert.ok(!orders.includes('dial'));
    assert.ok(!orders.includes('hang-up'), 'signalling does not know the leg yet');
  });

  it('is cancelled with 6010 when the ring timeout passes without an answer', () => {
    const { state } = run(
      exampleLeg(),
      [placed],
      [routed],
      [{ type: 'leg-ringing' }],
      [{ type: 'timer-fired', key: 'ring-timeout' }],
      [{ type: 'leg-ended', end: { by: 'local' } }],
    );
    assert.deepEqual(state.end, callEnds(6010, 'Service'));
  });

  it('sends its owner no notice of an answer that crossed its own cancellation', () => {
    const { state, effects } = run(
      exampleLeg({ phase: 'dialling' }),
      [{ type: 'hang-up', end: kicked }],
      [{ type: 'leg-answered' }],
      [{ type: 'leg-ended', end: { by: 'local' } }],
    );
    const notices = effects.flatMap((effect) => (effect.do === 'notify-owner' ? [effect.notice.type] : []));
    assert.deepEqual(notices, ['leg-ended']);
    assert.deepEqual(state.end, kicked);
  });

  it('counts its duration from the answer', () => {
    const { effects } = run(
      exampleLeg({ phase: 'ringing' }),
      [{ type: 'leg-answered' }, now],
      [{ type: 'leg-ended', end: { by: 'remote-bye' } }, now + 7_400],
    );
    const last = effects.at(-2);
    assert.ok(last?.do === 'notify-owner' && last.notice.type === 'leg-ended');
    assert.equal(last.notice.durationSeconds, 7);
    assert.deepEqual(last.notice.end, callEnds(4000, 'Call recipient'));
  });

  it('is canceled by a BYE of its caller before the answer, as by CANCEL (RFC 3261 §15)', () => {
    for (const by of ['remote-bye', 'remote-cancel'] as const) {
      const { state } = run(exampleLeg({ direction: 'inbound', phase: 'ringing' }), [
        { type: 'leg-ended', end: { by } },
      ]);
      assert.deepEqual(state.end, callEnds(1000, 'Caller'), by);
    }
  });

  it('keeps the first order to hang up', () => {
    const { state, orders } = run(
      exampleLeg({ phase: 'answered', answeredAt: now }),
      [{ type: 'hang-up', end: kicked }],
      [{ type: 'hang-up', end: callEnds(4020, 'API Request') }],
    );
    assert.deepEqual(state.requestedEnd, kicked);
    assert.deepEqual(orders, ['hang-up']);
  });

  it('is hung up with 6000 when its time limit has passed since the answer: 14,400 s by default', () => {
    const { effects, state } = run(
      exampleLeg({ phase: 'ringing' }),
      [{ type: 'leg-answered' }],
      [{ type: 'timer-fired', key: 'time-limit' }],
    );
    const timer = { do: 'start-timer', key: 'time-limit', at: now + 14_400_000 };
    assert.deepEqual(
      effects.find((effect) => effect.do === 'start-timer'),
      timer,
    );
    assert.deepEqual(state.requestedEnd, callEnds(6000, 'Service'));
  });

  it('is not ended by a ring timeout that crossed its answer', () => {
    const { state } = run(exampleLeg({ phase: 'answered', answeredAt: now }), [
      { type: 'timer-fired', key: 'ring-timeout' },
    ]);
    assert.equal(state.requestedEnd, null);
  });

  it('presses its digits when it is answered, before its owner is notified of the answer', () => {
    const { orders, effects } = run(exampleLeg({ phase: 'dialling', spec: { sendDigits: '1ww2' } }), [
      { type: 'leg-answered' },
    ]);
    assert.deepEqual(orders, ['cancel-timer', 'start-timer', 'emit', 'send-digits', 'notify-owner']);
    assert.deepEqual(effects[3], { do: 'send-digits', digits: '1ww2' });
  });

  it('ends exactly once', () => {
    const { orders } = run(
      exampleLeg({ phase: 'ringing' }),
      [{ type: 'leg-ended', end: { by: 'rejected', sipStatus: 486 } }],
      [{ type: 'leg-ended', end: { by: 'remote-bye' } }],
      [{ type: 'timer-fired', key: 'ring-timeout' }],
    );
    assert.equal(orders.filter((order) => order === 'notify-owner').length, 1);
  });
});

describe('the time limit of an inbound leg', () => {
  const extend = (seconds: number): CallLegInput => ({ type: 'extend', seconds });

  it('is extended from the answer on, at most to a day, and never shortened', () => {
    const ringing = exampleLeg({ direction: 'inbound', phase: 'ringing' });
    const answered = run(ringing, [{ type: 'leg-answered' }]).state;
    const hour = 3_600_000;
    const { state, effects } = run(answered, [extend(28_800), now + hour]);
    assert.equal(state.spec.timeLimitSeconds, 32_400);
    assert.deepEqual(effects, [{ do: 'start-timer', key: 'time-limit', at: now + 9 * hour }]);
    assert.equal(run(state, [extend(100), now + hour]).state, state);
    assert.equal(run(state, [extend(86_400), now + hour]).state.spec.timeLimitSeconds, 86_400);
  });

  it('is extended before the answer as well', () => {
    const ringing = exampleLeg({ direction: 'inbound', phase: 'ringing' });
    const { state, effects } = run(ringing, [extend(20_001)], [{ type: 'leg-answered' }, now + 5000]);
    assert.equal(state.spec.timeLimitSeconds, 20_001);
    const timer = effects.find((each) => each.do === 'start-timer');
    assert.deepEqual(timer, { do: 'start-timer', key: 'time-limit', at: now + 5000 + 20_001_000 });
  });

  it('is that of the request where the leg is outbound: a spend cap has reserved no more', () => {
    const dialled = run(exampleLeg({ phase: 'dialling' }), [{ type: 'leg-answered' }]).state;
    assert.equal(run(dialled, [extend(28_800)]).state, dialled);
  });
});

describe('an inbound leg', () => {
  const inbound = (over: Partial<CallLeg> = {}) =>
    exampleLeg({ direction: 'inbound', phase: 'offered', ...over });

  it('rings and is answered when its owner says so', () => {
    const { orders, state } = run(
      inbound(),
      [{ type: 'ring' }],
      [{ type: 'answer' }],
      [{ type: 'leg-answered' }],
    );
    assert.deepEqual(orders, ['ring', 'answer', 'cancel-timer', 'start-timer', 'emit', 'notify-owner']);
    assert.equal(state.phase, 'answered');
  });

  it('send_on_preanswer presses the digits when the phone has early media, and not again at the answer', () => {
    const leg = exampleLeg({ phase: 'ringing', spec: { sendDigits: '12', sendOnPreanswer: true } });
    const pressed = run(leg, [{ type: 'leg-early' }], [{ type: 'leg-answered' }]);
    assert.equal(pressed.orders.filter((order) => order === 'send-digits').length, 1);
    assert.deepEqual(pressed.orders.slice(0, 2), ['send-digits', 'notify-owner']);
  });

  it('send_on_preanswer presses the digits at the answer where the phone has no early media before it', () => {
    const leg = exampleLeg({ phase: 'ringing', spec: { sendDigits: '12', sendOnPreanswer: true } });
    const { orders } = run(leg, [{ type: 'leg-answered' }], [{ type: 'leg-early' }]);
    assert.equal(orders.filter((order) => order === 'send-digits').length, 1);
  });

  it('early media presses nothing where send_on_preanswer was not asked for', () => {
    const leg = exampleLeg({ phase: 'ringing', spec: { sendDigits: '12' } });
    assert.deepEqual(run(leg, [{ type: 'leg-early' }]).orders, ['notify-owner']);
    assert.ok(run(leg, [{ type: 'leg-early' }], [{ type: 'leg-answered' }]).orders.includes('send-digits'));
  });

  it('has early media only while it waits', () => {
    const early: [CallLegInput] = [{ type: 'open-early' }];
    assert.deepEqual(run(inbound(), early, [{ type: 'leg-early' }]).orders, ['open-early', 'notify-owner']);
    const talking = inbound({ phase: 'answered', answeredAt: now });
    assert.deepEqual(run(talking, early, [{ type: 'leg-early' }]).orders, []);
  });

  it('is refused with the status of its cause', () => {
    const { effects } = run(inbound(), [{ type: 'hang-up', end: callEnds(3010, 'Call recipient') }]);
    assert.deepEqual(effects, [{ do: 'hang-up', status: 486 }]);
  });

  it('records a caller who gave up as Canceled by the caller', () => {
    const { state } = run(inbound(), [{ type: 'leg-ended', end: { by: 'remote-cancel' } }]);
    assert.deepEqual(state.end, callEnds(1000, 'Caller'));
  });
});
