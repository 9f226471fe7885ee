import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallLeg, CallLegInput } from './call-leg.ts';
import { callLegMachine } from './call-leg-machine.ts';
import { callEnds } from './hangup-cause.ts';

const now = 1_000_000;
const place: CallLegInput = { type: 'place', ringTimeoutSeconds: 45, sipHeaders: {} };
const routed: CallLegInput = { type: 'routed', user: 'alice', targets: [{ uri: 'sip:a@x' }], sipHeaders: {} };
const kicked = callEnds(4030, 'API Request');

function outbound(over: Partial<CallLeg> = {}): CallLeg {
  return {
    leg: 'leg-1',
    account: 'MA1',
    mainAccount: 'MA1',
    direction: 'outbound',
    owner: { kind: 'room', id: 'r1' },
    borrower: null,
    unheard: null,
    requestUuid: 'leg-1',
    parentLeg: null,
    parentRequestUuid: 'leg-1',
    headers: {},
    sourceAddress: null,
    callbacks: null,
    timeLimitSeconds: 14_400,
    sendDigits: '',
    rate: { perMinute: 0, initialSeconds: 60, incrementSeconds: 60 },
    from: '+12025550000',
    to: 'alice',
    callerName: 'A',
    phase: 'routing',
    initiatedAt: now,
    answeredAt: null,
    endedAt: null,
    end: null,
    wantedEnd: null,
    ...over,
  };
}

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
    const { effects } = run(outbound(), [place]);
    assert.deepEqual(effects[1], { do: 'start-timer', key: 'ring-timeout', at: now + 45_000 });
    assert.equal(effects[0]?.do, 'route');
  });

  it('dials once its destination is known', () => {
    const { state, orders } = run(outbound(), [place], [routed]);
    assert.equal(state.phase, 'dialling');
    assert.deepEqual(orders, ['route', 'start-timer', 'dial']);
  });

  it('ends at once when nothing is there to dial', () => {
    const end = callEnds(2020, 'Service');
    const { state, effects } = run(outbound(), [place], [{ type: 'unreachable', end }]);
    assert.deepEqual(state.end, end);
    assert.deepEqual(effects.at(-1), {
      do: 'tell-owner',
      owner: { kind: 'room', id: 'r1' },
      notice: { type: 'leg-ended', end, durationSeconds: 0 },
    });
  });

  it('never dials when it was hung up while its destination was looked up', () => {
    const { state, orders } = run(outbound(), [place], [{ type: 'hang-up', end: kicked }], [routed]);
    assert.deepEqual(state.end, kicked);
    assert.ok(!orders.includes('dial'));
    assert.ok(!orders.includes('hang-up'), 'signalling does not know the leg yet');
  });

  it('is cancelled with 6010 when the ring timeout passes without an answer', () => {
    const { state } = run(
      outbound(),
      [place],
      [routed],
      [{ type: 'leg-ringing' }],
      [{ type: 'timer-fired', key: 'ring-timeout' }],
      [{ type: 'leg-ended', end: { by: 'local' } }],
    );
    assert.deepEqual(state.end, callEnds(6010, 'Service'));
  });

  it('does not tell its owner of an answer that crossed its own cancellation', () => {
    const { state, effects } = run(
      outbound({ phase: 'dialling' }),
      [{ type: 'hang-up', end: kicked }],
      [{ type: 'leg-answered' }],
      [{ type: 'leg-ended', end: { by: 'local' } }],
    );
    const told = effects.flatMap((effect) => (effect.do === 'tell-owner' ? [effect.notice.type] : []));
    assert.deepEqual(told, ['leg-ended']);
    assert.deepEqual(state.end, kicked);
  });

  it('counts its duration from the answer', () => {
    const { effects } = run(
      outbound({ phase: 'ringing' }),
      [{ type: 'leg-answered' }, now],
      [{ type: 'leg-ended', end: { by: 'remote-bye' } }, now + 7_400],
    );
    const last = effects.at(-1);
    assert.ok(last?.do === 'tell-owner' && last.notice.type === 'leg-ended');
    assert.equal(last.notice.durationSeconds, 7);
    assert.deepEqual(last.notice.end, callEnds(4000, 'Call recipient'));
  });

  it('keeps the first wish to hang up', () => {
    const { state, orders } = run(
      outbound({ phase: 'answered', answeredAt: now }),
      [{ type: 'hang-up', end: kicked }],
      [{ type: 'hang-up', end: callEnds(4020, 'API Request') }],
    );
    assert.deepEqual(state.wantedEnd, kicked);
    assert.deepEqual(orders, ['hang-up']);
  });

  it('ends exactly once', () => {
    const { orders } = run(
      outbound({ phase: 'ringing' }),
      [{ type: 'leg-ended', end: { by: 'rejected', sipStatus: 486 } }],
      [{ type: 'leg-ended', end: { by: 'remote-bye' } }],
      [{ type: 'timer-fired', key: 'ring-timeout' }],
    );
    assert.equal(orders.filter((order) => order === 'tell-owner').length, 1);
  });
});

describe('an inbound leg', () => {
  const inbound = (over: Partial<CallLeg> = {}) =>
    outbound({ direction: 'inbound', phase: 'offered', ...over });

  it('rings and is answered when its owner says so', () => {
    const { orders, state } = run(
      inbound(),
      [{ type: 'ring' }],
      [{ type: 'answer' }],
      [{ type: 'leg-answered' }],
    );
    assert.deepEqual(orders, ['ring', 'answer', 'cancel-timer', 'start-timer', 'emit', 'tell-owner']);
    assert.equal(state.phase, 'answered');
  });

  it('is refused with the status that says why', () => {
    const { effects } = run(inbound(), [{ type: 'hang-up', end: callEnds(3010, 'Call recipient') }]);
    assert.deepEqual(effects, [{ do: 'hang-up', status: 486 }]);
  });

  it('records a caller who gave up as Canceled by the caller', () => {
    const { state } = run(inbound(), [{ type: 'leg-ended', end: { by: 'remote-cancel' } }]);
    assert.deepEqual(state.end, callEnds(1000, 'Caller'));
  });
});
