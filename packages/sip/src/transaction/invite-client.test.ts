import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseMessage } from '../message/parse-message.ts';
import { printMessage } from '../message/print-message.ts';
import type { ClientInput } from './effects.ts';
import { type InviteClientState, startInviteClient, stepInviteClient } from './invite-client.ts';
import { START, sampleRequest, sampleResponse, tcp, udp, words } from './testing/words.ts';
import type { TransactionSetting } from './timers.ts';

const invite = sampleRequest('INVITE');
const text = printMessage(invite);
const inputs: Record<string, ClientInput> = {
  '1xx': { type: 'response', response: sampleResponse('INVITE', 180) },
  '2xx': { type: 'response', response: sampleResponse('INVITE', 200) },
  '3xx-6xx': { type: 'response', response: sampleResponse('INVITE', 486) },
  A: { type: 'timer-fired', key: 'A' },
  B: { type: 'timer-fired', key: 'B' },
  D: { type: 'timer-fired', key: 'D' },
  M: { type: 'timer-fired', key: 'M' },
  'transport-failed': { type: 'transport-failed' },
  abandon: { type: 'abandon' },
};

function reach(setting: TransactionSetting, ...path: string[]): InviteClientState {
  let { state } = startInviteClient(invite, text, setting, START);
  for (const name of path) state = stepInviteClient(state, inputs[name]!, START).state;
  return state;
}

/** phase → input → [next phase, ...effects]; inputs that are not listed change nothing. */
type Table = Record<string, { path: string[]; rows: Record<string, [string, ...string[]]> }>;

function checkTable(setting: TransactionSetting, table: Table): void {
  for (const [phase, { path, rows }] of Object.entries(table)) {
    const state = reach(setting, ...path);
    assert.equal(state.phase, phase);
    for (const [name, input] of Object.entries(inputs)) {
      const step = stepInviteClient(state, input, START);
      const [next, ...effects] = rows[name] ?? [phase];
      assert.deepEqual([step.state.phase, ...words(step.effects)], [next, ...effects], `${phase} × ${name}`);
    }
  }
}

test('§17.1.1.2 and RFC 6026 §7.2: every state × input over UDP', () => {
  checkTable(udp, {
    calling: {
      path: [],
      rows: {
        '1xx': ['proceeding', 'cancel B', 'cancel A', 'deliver 180'],
        '2xx': ['accepted', 'cancel B', 'cancel A', 'start M +32000', 'deliver 200'],
        '3xx-6xx': ['completed', 'cancel B', 'cancel A', 'send ACK', 'start D +32000', 'deliver 486'],
        A: ['calling', 'send INVITE', 'start A +1000'],
        B: ['terminated', 'report timeout', 'terminate'],
        'transport-failed': ['terminated', 'report transport-failed', 'terminate'],
        abandon: ['terminated', 'terminate'],
      },
    },
    proceeding: {
      path: ['1xx'],
      rows: {
        '1xx': ['proceeding', 'deliver 180'],
        '2xx': ['accepted', 'start M +32000', 'deliver 200'],
        '3xx-6xx': ['completed', 'send ACK', 'start D +32000', 'deliver 486'],
        'transport-failed': ['terminated', 'report transport-failed', 'terminate'],
        abandon: ['terminated', 'terminate'],
      },
    },
    completed: {
      path: ['3xx-6xx'],
      rows: {
        '3xx-6xx': ['completed', 'send ACK'],
        D: ['terminated', 'terminate'],
        'transport-failed': ['terminated', 'report transport-failed', 'terminate'],
      },
    },
    accepted: {
      path: ['2xx'],
      rows: { '2xx': ['accepted', 'deliver 200'], M: ['terminated', 'terminate'] },
    },
    terminated: { path: ['B'], rows: {} },
  });
});

test('§17.1.1.2 and RFC 6026 §7.2: every state × input over TCP', () => {
  checkTable(tcp, {
    calling: {
      path: [],
      rows: {
        '1xx': ['proceeding', 'cancel B', 'deliver 180'],
        '2xx': ['accepted', 'cancel B', 'start M +32000', 'deliver 200'],
        '3xx-6xx': ['terminated', 'cancel B', 'send ACK', 'deliver 486', 'terminate'],
        A: ['calling', 'send INVITE', 'start A +1000'],
        B: ['terminated', 'report timeout', 'terminate'],
        'transport-failed': ['terminated', 'report transport-failed', 'terminate'],
        abandon: ['terminated', 'terminate'],
      },
    },
    accepted: {
      path: ['1xx', '2xx'],
      rows: { '2xx': ['accepted', 'deliver 200'], M: ['terminated', 'terminate'] },
    },
  });
});

describe('INVITE client transaction', () => {
  test('§17.1.1.2: if an unreliable transport is used, the client transaction MUST start timer A with a value of T1', () => {
    const step = startInviteClient(invite, text, udp, START);
    assert.deepEqual(words(step.effects), ['send INVITE', 'start B +32000', 'start A +500']);
  });

  test('§17.1.1.2: if a reliable transport is used, the client transaction SHOULD NOT start timer A', () => {
    assert.deepEqual(words(startInviteClient(invite, text, tcp, START).effects), [
      'send INVITE',
      'start B +32000',
    ]);
  });

  test('§17.1.1.2: timer A fires at T1, 3*T1, 7*T1 and so on, doubling its interval', () => {
    let state = reach(udp);
    const intervals: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const step = stepInviteClient(state, inputs.A!, START);
      state = step.state;
      intervals.push(words(step.effects)[1]!);
    }
    assert.deepEqual(
      intervals,
      [1000, 2000, 4000, 8000, 16000, 32000].map((ms) => `start A +${ms}`),
    );
  });

  test('§17.1.1.3: the ACK has the Request-URI, Call-ID, From, Route and CSeq number of the INVITE, only its top Via, and the To of the response', () => {
    const step = stepInviteClient(reach(udp), inputs['3xx-6xx']!, START);
    const sent = step.effects.find((effect) => effect.do === 'send');
    const { message: ack } = parseMessage(sent?.do === 'send' ? sent.text : '');
    assert.ok(ack?.kind === 'request');
    assert.deepEqual([ack.method, ack.uri], ['ACK', 'sip:bob@192.0.2.2']);
    for (const name of ['Call-ID', 'From', 'Route'])
      assert.equal(ack.headers.get(name), invite.headers.get(name), name);
    assert.deepEqual(ack.headers.all('Via'), invite.headers.all('Via'));
    assert.equal(ack.headers.get('CSeq'), '7 ACK');
    assert.equal(ack.headers.get('To'), '<sip:bob@192.0.2.2>;tag=bob');
  });

  test('§17.1.1.2: T1 is an argument, and timer D is at least 32 seconds for any T1', () => {
    const quick = { reliable: false, timers: { t1: 20, t2: 40, t4: 50 } };
    const start = startInviteClient(invite, text, quick, START);
    assert.deepEqual(words(start.effects), ['send INVITE', 'start B +1280', 'start A +20']);
    const completed = stepInviteClient(start.state, inputs['3xx-6xx']!, START);
    assert.ok(words(completed.effects).includes('start D +32000'));
  });
});
