import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { createResponse } from '../message/create-response.ts';
import type { SipRequest } from '../message/message.ts';
import { RFC3261_TIMERS } from '../transaction/timers.ts';
import { startOutgoingCall, stepOutgoingCall } from './outgoing-call.ts';
import type { OutgoingCall, OutgoingCallEffect, OutgoingCallInput } from './outgoing-call-state.ts';

function inviteTo(uri: string): SipRequest {
  return createRequest({
    method: 'INVITE',
    uri,
    from: '<sip:a@x>;tag=a',
    to: '<sip:b@x>',
    callId: 'c',
    cseq: 1,
    body: 'sdp',
  });
}

const invites = new Map([
  ['b0', inviteTo('sip:b@one')],
  ['b1', inviteTo('sip:b@two')],
]);

function response(branch: string, status: number, tag: string): OutgoingCallInput {
  const headers: [string, string][] = [
    ['Contact', `<sip:b@${tag}>`],
    ['Record-Route', '<sip:p2.example.com;lr>, <sip:p1.example.com;lr>'],
  ];
  const answer = createResponse(invites.get(branch)!, status, undefined, { toTag: tag, headers });
  return { type: 'branch-response', branch, response: answer, isFinal: false };
}

function words(effects: readonly OutgoingCallEffect[]): string[] {
  return effects.flatMap((effect) => {
    switch (effect.do) {
      case 'cancel':
        return `CANCEL ${effect.branch}${effect.completedElsewhere ? ', completed elsewhere' : ''}`;
      case 'ack':
        return `ACK ${effect.request.uri}`;
      case 'request':
        return `${effect.request.method} ${effect.request.uri} via ${effect.hop}`;
      case 'respond':
        return String(effect.status);
      case 'emit-call':
        return effect.event;
      case 'end':
        return `end ${effect.reason.by}${effect.reason.by === 'rejected' ? ` ${effect.reason.status}` : ''}`;
      case 'authenticate':
      case 'abandon':
        return `${effect.do} ${effect.branch}`;
      default:
        return [];
    }
  });
}

function run(...inputs: OutgoingCallInput[]): { state: OutgoingCall; words: string[] } {
  let { state } = startOutgoingCall(invites, RFC3261_TIMERS, 300_000, 0);
  let effects: readonly OutgoingCallEffect[] = [];
  for (const input of inputs) ({ state, effects } = stepOutgoingCall(state, input, 0));
  return { state, words: words(effects) };
}

test('RFC 3326: the first 2xx wins, gets its ACK, and the CANCEL of every other branch says so', () => {
  const { words: said } = run(response('b0', 180, 'x'), response('b1', 200, 'y'));
  assert.deepEqual(said, ['ACK sip:b@y', 'answered', 'CANCEL b0, completed elsewhere']);
});

test('§9.1: a branch without a provisional response is cancelled when one arrives', () => {
  assert.deepEqual(run(response('b1', 200, 'y')).words, ['ACK sip:b@y', 'answered']);
  const won = [response('b1', 200, 'y')] as const;
  const late = ['CANCEL b0, completed elsewhere'];
  assert.deepEqual(run(...won, response('b0', 180, 'x')).words, late);
  // Also when the answered call has ended by then.
  const session = [...run(...won).state.sessions.keys()][0]!;
  const over: OutgoingCallInput = { type: 'session', session, input: { type: 'hang-up' } };
  assert.deepEqual(run(...won, over, response('b0', 180, 'x')).words, late);
});

test('RFC 3326: the CANCEL of a call that its owner hangs up says only what the owner says', () => {
  const rung = response('b0', 180, 'x');
  const ended = ['end local', 'CANCEL b0'];
  assert.deepEqual(run(rung, { type: 'hang-up' }).words, ended);
  const elsewhere = { type: 'hang-up', completedElsewhere: true } as const;
  assert.deepEqual(run(rung, elsewhere).words, ['end local', 'CANCEL b0, completed elsewhere']);
  assert.deepEqual(run(elsewhere, rung).words, ['CANCEL b0, completed elsewhere']);
});

test('§12.1.2: provisional responses of several forks make several early dialogs', () => {
  const { state } = run(response('b0', 180, 'x'), response('b0', 183, 'y'), response('b0', 180, 'x'));
  assert.deepEqual([...(state.branches.get('b0')?.early.keys() ?? [])], ['x', 'y']);
});

test('§13.2.2.4: a late 2xx of another fork gets ACK, and BYE through its route set', () => {
  const { words: said } = run(response('b0', 200, 'x'), response('b0', 200, 'y'));
  assert.deepEqual(said, ['ACK sip:b@y', 'BYE sip:b@y via sip:p1.example.com;lr']);
});

test('§13.2.2.4: every retransmission of a 2xx is acknowledged again, of the winner and of the stray', () => {
  assert.deepEqual(run(response('b0', 200, 'x'), response('b0', 200, 'x')).words, ['ACK sip:b@x']);
  const stray = run(response('b0', 200, 'x'), response('b0', 200, 'y'), response('b0', 200, 'y'));
  assert.deepEqual(stray.words, ['ACK sip:b@y']);
});

test('§9.1: a 2xx that crosses the CANCEL gets ACK and BYE', () => {
  const { words: said } = run(response('b0', 180, 'x'), { type: 'hang-up' }, response('b0', 200, 'x'));
  assert.deepEqual(said, ['ACK sip:b@x', 'BYE sip:b@x via sip:p1.example.com;lr']);
});

test('§9.1: without a final response in 64*T1 after the CANCEL the transaction is destroyed', () => {
  const due: OutgoingCallInput = { type: 'timer-fired', scope: 'b0', key: 'cancelled' };
  assert.deepEqual(run(response('b0', 180, 'x'), { type: 'hang-up' }, due).words, ['abandon b0']);
});

test('§16.7: a 6xx ends the call at once, and the other branches are cancelled', () => {
  const { words: said } = run(response('b0', 180, 'x'), response('b1', 603, 'y'));
  assert.deepEqual(said, ['end rejected 603', 'CANCEL b0']);
});

for (const [first, second, best] of [
  [486, 503, 486],
  [503, 486, 486],
  [482, 480, 480],
  [408, 404, 404],
  [404, 302, 302],
] as const) {
  test(`§16.7, step 6: of ${first} and ${second} the call ends with ${best}`, () => {
    assert.deepEqual(run(response('b0', first, 'x'), response('b1', second, 'y')).words, [
      `end rejected ${best}`,
    ]);
  });
}

test('A refusal ranks above a timeout, and a timeout above a transport failure', () => {
  const timeout = (branch: string): OutgoingCallInput => ({
    type: 'branch-failed',
    branch,
    failure: 'timeout',
  });
  const broken: OutgoingCallInput = { type: 'branch-failed', branch: 'b0', failure: 'transport-failed' };
  assert.deepEqual(run(timeout('b0'), response('b1', 486, 'y')).words, ['end rejected 486']);
  assert.deepEqual(run(broken, timeout('b1')).words, ['end no-response']);
});

test('§22.2: a challenge is answered unless it is final, and only while the call is open', () => {
  assert.deepEqual(run(response('b0', 401, 'x')).words, ['authenticate b0']);
  const again = { ...response('b0', 401, 'x'), isFinal: true } as OutgoingCallInput;
  assert.deepEqual(run(again, response('b1', 486, 'y')).words, ['end rejected 401']);
  assert.deepEqual(run({ type: 'hang-up' }, response('b0', 401, 'x')).words, []);
});

test('A call that rings beyond its limit ends with no-response and is cancelled', () => {
  const due: OutgoingCallInput = { type: 'timer-fired', scope: '', key: 'ringing-limit' };
  assert.deepEqual(run(response('b0', 180, 'x'), due).words, ['end no-response', 'CANCEL b0']);
});

test('Requests within an early dialog: INVITE 491, OPTIONS 200, and 481 for an unknown tag', () => {
  const inDialog = (method: string, remoteTag: string): OutgoingCallInput => {
    const request = createRequest({
      method,
      uri: 'sip:a@x',
      from: '<sip:b@x>;tag=x',
      to: '<sip:a@x>;tag=a',
      callId: 'c',
      cseq: 1,
    });
    return { type: 'in-dialog', remoteTag, input: { type: 'request', transaction: 't', request, chance: 0 } };
  };
  assert.deepEqual(run(response('b0', 180, 'x'), inDialog('INVITE', 'x')).words, ['491']);
  assert.deepEqual(run(response('b0', 180, 'x'), inDialog('OPTIONS', 'x')).words, ['200']);
  assert.deepEqual(run(response('b0', 180, 'x'), inDialog('OPTIONS', 'z')).words, ['481']);
});

test('a call that is answered keeps of its INVITEs what dialogs and ACKs need, not their descriptions', () => {
  const invite = inviteTo('sip:b@one');
  invite.headers.append('Proxy-Authorization', 'Digest username="a"');
  const again = { type: 'authenticated', branch: 'b0', request: invite } as const;
  const { state } = run(again, response('b1', 486, 'x'), response('b0', 200, 'y'));
  for (const [name, uri] of [
    ['b0', 'sip:b@one'],
    ['b1', 'sip:b@two'],
  ] as const) {
    const { request } = state.branches.get(name)!;
    assert.deepEqual([request.uri, request.body], [uri, '']);
    const kept = ['From', 'To', 'Call-ID', 'CSeq', 'Max-Forwards'].map((field) => request.headers.get(field));
    assert.deepEqual(kept, ['<sip:a@x>;tag=a', '<sip:b@x>', 'c', '1 INVITE', undefined]);
  }
  const credentials = state.branches.get('b0')!.request.headers.get('Proxy-Authorization');
  assert.equal(credentials, 'Digest username="a"');
});
