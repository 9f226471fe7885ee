import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printMessage } from '../message/print-message.ts';
import type { ClientInput } from './effects.ts';
import { type NonInviteClientState, startNonInviteClient, stepNonInviteClient } from './non-invite-client.ts';
import { START, sampleRequest, sampleResponse, tcp, udp, words } from './testing/words.ts';
import type { TransactionSetting } from './timers.ts';

const text = printMessage(sampleRequest('OPTIONS'));
const inputs: Record<string, ClientInput> = {
  '1xx': { type: 'response', response: sampleResponse('OPTIONS', 183) },
  '200-699': { type: 'response', response: sampleResponse('OPTIONS', 404) },
  E: { type: 'timer-fired', key: 'E' },
  F: { type: 'timer-fired', key: 'F' },
  K: { type: 'timer-fired', key: 'K' },
  'transport-failed': { type: 'transport-failed' },
  abandon: { type: 'abandon' },
};

function reach(setting: TransactionSetting, ...path: string[]): NonInviteClientState {
  let { state } = startNonInviteClient(text, setting, START);
  for (const name of path) state = stepNonInviteClient(state, inputs[name]!, START).state;
  return state;
}

function check(
  setting: TransactionSetting,
  path: string[],
  rows: Record<string, [string, ...string[]]>,
): void {
  const state = reach(setting, ...path);
  for (const [name, input] of Object.entries(inputs)) {
    const step = stepNonInviteClient(state, input, START);
    const expected = rows[name] ?? [state.phase];
    assert.deepEqual([step.state.phase, ...words(step.effects)], expected, `${state.phase} × ${name}`);
  }
}

const failed = {
  F: ['terminated', 'report timeout', 'terminate'],
  'transport-failed': ['terminated', 'report transport-failed', 'terminate'],
  abandon: ['terminated', 'terminate'],
} satisfies Record<string, [string, ...string[]]>;

test('§17.1.2.2: every input in "Trying" and "Proceeding" over UDP', () => {
  const final: [string, ...string[]] = ['completed', 'cancel E', 'cancel F', 'start K +5000', 'deliver 404'];
  check(udp, [], {
    ...failed,
    '1xx': ['proceeding', 'deliver 183'],
    '200-699': final,
    E: ['trying', 'send OPTIONS', 'start E +1000'],
  });
  check(udp, ['1xx'], {
    ...failed,
    '1xx': ['proceeding', 'deliver 183'],
    '200-699': final,
    E: ['proceeding', 'send OPTIONS', 'start E +4000'],
  });
});

test('§17.1.2.2: every input in "Trying" and "Proceeding" over TCP, where timer K is zero seconds', () => {
  const rows: Record<string, [string, ...string[]]> = {
    ...failed,
    '1xx': ['proceeding', 'deliver 183'],
    '200-699': ['terminated', 'deliver 404', 'terminate'],
  };
  check(tcp, [], { ...rows, E: ['trying', 'send OPTIONS', 'start E +1000'] });
  check(tcp, ['1xx'], { ...rows, E: ['proceeding', 'send OPTIONS', 'start E +4000'] });
});

test('§17.1.2.2: the "Completed" state exists to buffer any additional response retransmissions, until timer K fires', () => {
  check(udp, ['200-699'], { K: ['terminated', 'terminate'] });
});

test('§17.1.2.2: a terminated transaction does nothing', () => {
  check(udp, ['F'], {});
});

test('§17.1.2.2: timer E is set for T1 over an unreliable transport and not at all over a reliable one; timer F for 64*T1', () => {
  assert.deepEqual(words(startNonInviteClient(text, udp, START).effects), [
    'send OPTIONS',
    'start F +32000',
    'start E +500',
  ]);
  assert.deepEqual(words(startNonInviteClient(text, tcp, START).effects), ['send OPTIONS', 'start F +32000']);
});

test('§17.1.2.2: timer E is reset with a value of MIN(2*T1, T2), so the intervals are 500 ms, 1 s, 2 s, 4 s, 4 s', () => {
  let state = reach(udp);
  const intervals: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const step = stepNonInviteClient(state, inputs.E!, START);
    state = step.state;
    intervals.push(words(step.effects)[1]!);
  }
  assert.deepEqual(
    intervals,
    [1000, 2000, 4000, 4000, 4000].map((ms) => `start E +${ms}`),
  );
});
