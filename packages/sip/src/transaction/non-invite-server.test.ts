import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerInput } from './effects.ts';
import { type NonInviteServerState, startNonInviteServer, stepNonInviteServer } from './non-invite-server.ts';
import { START, tcp, udp, words } from './testing/words.ts';
import type { TransactionSetting } from './timers.ts';

const inputs: Record<string, ServerInput> = {
  request: { type: 'request' },
  'TU 1xx': { type: 'respond', status: 183, text: '183' },
  'TU 200-699': { type: 'respond', status: 200, text: '200' },
  J: { type: 'timer-fired', key: 'J' },
  unanswered: { type: 'timer-fired', key: 'unanswered' },
  'transport-failed': { type: 'transport-failed' },
};

function reach(setting: TransactionSetting, ...path: string[]): NonInviteServerState {
  let state = startNonInviteServer(setting);
  for (const name of path) state = stepNonInviteServer(state, inputs[name]!, START).state;
  return state;
}

function check(
  setting: TransactionSetting,
  path: string[],
  rows: Record<string, [string, ...string[]]>,
): void {
  const state = reach(setting, ...path);
  for (const [name, input] of Object.entries(inputs)) {
    const step = stepNonInviteServer(state, input, START);
    const expected = rows[name] ?? [state.phase];
    assert.deepEqual([step.state.phase, ...words(step.effects)], expected, `${state.phase} × ${name}`);
  }
}

const failed = ['terminated', 'report transport-failed', 'terminate'] as [string, ...string[]];

test('§17.2.2: once in the "Trying" state, any further request retransmissions are discarded', () => {
  check(udp, [], {
    'TU 1xx': ['proceeding', 'send 183'],
    'TU 200-699': ['completed', 'cancel unanswered', 'send 200', 'start J +32000'],
    unanswered: ['terminated', 'report timeout', 'terminate'],
    'transport-failed': failed,
  });
});

test('§17.2.2: a retransmission in "Proceeding" gets the most recently sent provisional response', () => {
  check(udp, ['TU 1xx'], {
    request: ['proceeding', 'send 183'],
    'TU 1xx': ['proceeding', 'send 183'],
    'TU 200-699': ['completed', 'cancel unanswered', 'send 200', 'start J +32000'],
    unanswered: ['terminated', 'report timeout', 'terminate'],
    'transport-failed': failed,
  });
});

test('§17.2.2: in "Completed" the final response answers retransmissions and any other response of the TU is discarded', () => {
  check(udp, ['TU 200-699'], {
    request: ['completed', 'send 200'],
    J: ['terminated', 'terminate'],
    'transport-failed': failed,
  });
});

test('§17.2.2: timer J is zero seconds for reliable transports', () => {
  check(tcp, [], {
    'TU 1xx': ['proceeding', 'send 183'],
    'TU 200-699': ['terminated', 'send 200', 'terminate'],
    unanswered: ['terminated', 'report timeout', 'terminate'],
    'transport-failed': failed,
  });
});

test('§17.2.2: a terminated transaction does nothing', () => {
  check(udp, ['transport-failed'], {});
});

test('A completed transaction keeps only the printed response', () => {
  assert.deepEqual(reach(udp, 'TU 200-699'), { phase: 'completed', last: '200' });
});
