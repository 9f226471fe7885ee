import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type InviteServerInput,
  type InviteServerState,
  startInviteServer,
  stepInviteServer,
} from './invite-server.ts';
import { START, tcp, udp, words } from './testing/words.ts';
import type { TransactionSetting } from './timers.ts';

const inputs: Record<string, InviteServerInput> = {
  INVITE: { type: 'request' },
  ACK: { type: 'ack' },
  'TU 1xx': { type: 'respond', status: 180, text: '180' },
  'TU 2xx': { type: 'respond', status: 200, text: '200' },
  'TU 3xx-6xx': { type: 'respond', status: 486, text: '486' },
  '100': { type: 'timer-fired', key: '100' },
  G: { type: 'timer-fired', key: 'G' },
  H: { type: 'timer-fired', key: 'H' },
  I: { type: 'timer-fired', key: 'I' },
  L: { type: 'timer-fired', key: 'L' },
  'transport-failed': { type: 'transport-failed' },
};

function reach(setting: TransactionSetting, ...path: string[]): InviteServerState {
  let { state } = startInviteServer(setting, START);
  for (const name of path) state = stepInviteServer(state, inputs[name]!, START).state;
  return state;
}

function check(
  setting: TransactionSetting,
  path: string[],
  rows: Record<string, [string, ...string[]]>,
): void {
  const state = reach(setting, ...path);
  for (const [name, input] of Object.entries(inputs)) {
    const step = stepInviteServer(state, input, START);
    const expected = rows[name] ?? [state.phase];
    assert.deepEqual([step.state.phase, ...words(step.effects)], expected, `${state.phase} × ${name}`);
  }
}

const failed = ['terminated', 'report transport-failed', 'terminate'] as [string, ...string[]];

test('§17.2.1: every input in "Proceeding" before the first response of the TU', () => {
  check(udp, [], {
    'TU 1xx': ['proceeding', 'cancel 100', 'send 180'],
    'TU 2xx': ['accepted', 'cancel 100', 'send 200', 'start L +32000'],
    'TU 3xx-6xx': ['completed', 'cancel 100', 'send 486', 'start H +32000', 'start G +500'],
    '100': ['proceeding', 'trying-due'],
    'transport-failed': failed,
  });
});

test('§17.2.1: a retransmitted request in "Proceeding" gets the most recent provisional response', () => {
  check(udp, ['TU 1xx'], {
    INVITE: ['proceeding', 'send 180'],
    'TU 1xx': ['proceeding', 'send 180'],
    'TU 2xx': ['accepted', 'send 200', 'start L +32000'],
    'TU 3xx-6xx': ['completed', 'send 486', 'start H +32000', 'start G +500'],
    'transport-failed': failed,
  });
});

test('§17.2.1: every input in "Completed" over UDP', () => {
  check(udp, ['TU 3xx-6xx'], {
    INVITE: ['completed', 'send 486'],
    ACK: ['confirmed', 'cancel G', 'cancel H', 'start I +5000'],
    G: ['completed', 'send 486', 'start G +1000'],
    H: ['terminated', 'report timeout', 'terminate'],
    'transport-failed': failed,
  });
});

test('§17.2.1: over TCP timer G is not set and timer I is zero seconds', () => {
  const { effects } = stepInviteServer(reach(tcp), inputs['TU 3xx-6xx']!, START);
  assert.deepEqual(words(effects), ['cancel 100', 'send 486', 'start H +32000']);
  check(tcp, ['TU 3xx-6xx'], {
    INVITE: ['completed', 'send 486'],
    ACK: ['terminated', 'terminate'],
    G: ['completed', 'send 486', 'start G +1000'],
    H: ['terminated', 'report timeout', 'terminate'],
    'transport-failed': failed,
  });
});

test('§17.2.1: the purpose of "Confirmed" is to absorb any additional ACK messages, until timer I fires', () => {
  check(udp, ['TU 3xx-6xx', 'ACK'], { I: ['terminated', 'terminate'] });
});

test('RFC 6026 §7.1: "Accepted" absorbs INVITEs, passes ACKs to the TU and 2xx from the TU to the transport, on every transport', () => {
  for (const setting of [udp, tcp]) {
    check(setting, ['TU 2xx'], {
      ACK: ['accepted', 'deliver-ack'],
      'TU 2xx': ['accepted', 'send 200'],
      L: ['terminated', 'terminate'],
      'transport-failed': ['accepted', 'report transport-failed'],
    });
  }
});

test('§17.2.1: a terminated transaction does nothing', () => {
  check(udp, ['TU 3xx-6xx', 'H'], {});
});

test('§17.2.1: a 100 (Trying) is due when the TU has not answered within 200 ms', () => {
  assert.deepEqual(words(startInviteServer(udp, START).effects), ['start 100 +200']);
});

test('§17.2.1: timer G is reset with MIN(2*T1, T2), so the response is repeated after 500 ms, 1 s, 2 s, 4 s, 4 s', () => {
  let state = reach(udp, 'TU 3xx-6xx');
  const intervals: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const step = stepInviteServer(state, inputs.G!, START);
    state = step.state;
    intervals.push(words(step.effects)[1]!);
  }
  assert.deepEqual(
    intervals,
    [1000, 2000, 4000, 4000, 4000].map((ms) => `start G +${ms}`),
  );
});

test('§26.3.2.4: a challenge is repeated only for a repeated INVITE', () => {
  const input: InviteServerInput = { type: 'respond', status: 401, text: '401', once: true };
  const { state, effects } = stepInviteServer(reach(udp), input, START);
  assert.deepEqual(words(effects), ['cancel 100', 'send 401', 'start H +32000']);
  assert.deepEqual(words(stepInviteServer(state, inputs.INVITE!, START).effects), ['send 401']);
});

test('Waiting states keep only the printed response', () => {
  assert.deepEqual(Object.keys(reach(udp, 'TU 3xx-6xx')).sort(), ['interval', 'last', 'phase', 'setting']);
  assert.deepEqual(Object.keys(reach(udp, 'TU 3xx-6xx', 'ACK')), ['phase']);
  assert.deepEqual(Object.keys(reach(udp, 'TU 2xx')), ['phase']);
});
