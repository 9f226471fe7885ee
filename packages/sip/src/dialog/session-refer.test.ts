import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { createResponse } from '../message/create-response.ts';
import { reasonPhrase } from '../message/reason-phrases.ts';
import { RFC3261_TIMERS } from '../transaction/timers.ts';
import { createCalleeDialog } from './dialog.ts';
import { parseReplaces } from './replaces.ts';
import { stepSession } from './session.ts';
import { calleeSession, type Session, type SessionEffect, type SessionInput } from './session-state.ts';

function request(method: string, cseq: number, headers: [string, string][] = []) {
  return createRequest({
    method,
    uri: 'sip:b@y',
    from: '<sip:a@x>;tag=a',
    to: '<sip:b@y>;tag=b',
    callId: 'c',
    cseq,
    contact: '<sip:a@x>',
    headers,
  });
}

function received(method: string, cseq: number, ...headers: [string, string][]): SessionInput {
  const transaction = `${method} ${cseq}`;
  return { type: 'request', transaction, request: request(method, cseq, headers), chance: 0.5 };
}

function live(): Session {
  const dialog = createCalleeDialog(request('INVITE', 10), 'b');
  const answer = { transaction: 'INVITE 10', cseq: 10, delayedOffer: false };
  const { state } = calleeSession('s', dialog, RFC3261_TIMERS, answer, 0);
  return stepSession(state, { type: 'ack', request: request('ACK', 10) }, 0).state;
}

function word(effect: SessionEffect): string {
  switch (effect.do) {
    case 'respond':
      return `${effect.status} to ${effect.transaction}`;
    case 'request': {
      const { headers, body, method } = effect.request;
      if (method !== 'NOTIFY') return `send ${method}`;
      return `NOTIFY ${headers.get('Event')} ${headers.get('Subscription-State')} ${body.trim()}`;
    }
    case 'start-timer':
      return `start ${effect.key} +${effect.at}`;
    case 'cancel-timer':
      return `cancel ${effect.key}`;
    case 'emit':
      return effect.event.type;
    default:
      return effect.do;
  }
}

function toNotify(status: number, cseq: number): SessionInput {
  const response = createResponse(request('NOTIFY', cseq), status);
  return { type: 'response', method: 'NOTIFY', response, isFinal: true, chance: 0 };
}

function run(state: Session, ...inputs: (SessionInput | 'answered')[]): { state: Session; words: string[] } {
  let current = state;
  let effects: readonly SessionEffect[] = [];
  for (const each of inputs) {
    const input = each === 'answered' ? toNotify(200, current.notifying?.cseq ?? 0) : each;
    ({ state: current, effects } = stepSession(current, input, 0));
  }
  return { state: current, words: effects.map(word) };
}

const refer = (cseq = 11) => received('REFER', cseq, ['Refer-To', '<sip:carol@x>']);
const accept: SessionInput = { type: 'accept-referral' };
/** A response to the unanswered NOTIFY. */
const answered = 'answered';
const report = (status: number): SessionInput => ({
  type: 'report-referral',
  status,
  phrase: reasonPhrase(status),
});

test('RFC 3515 §2.4.1: a REFER without exactly one well-formed Refer-To gets a 400', () => {
  assert.deepEqual(run(live(), received('REFER', 11)).words, ['400 to REFER 11']);
  const two: [string, string][] = [
    ['Refer-To', '<sip:c@x>'],
    ['Refer-To', '<sip:d@x>'],
  ];
  assert.deepEqual(run(live(), received('REFER', 11, ...two)).words, ['400 to REFER 11']);
  assert.deepEqual(run(live(), received('REFER', 11, ['Refer-To', '<'])).words, ['400 to REFER 11']);
});

test('RFC 3515 §2.4.4: an accepted REFER gets 202 and at once a NOTIFY of 100 Trying', () => {
  assert.deepEqual(run(live(), refer()).words, ['start referral +16000', 'referred']);
  assert.deepEqual(run(live(), refer(), accept).words, [
    '202 to REFER 11',
    'start referral +300000',
    'NOTIFY refer active;expires=300 SIP/2.0 100 Trying',
  ]);
});

test('RFC 3515 §2.4.5: the final status ends the subscription, and no NOTIFY follows', () => {
  const ringing = run(live(), refer(), accept, answered, report(180));
  assert.deepEqual(ringing.words, ['NOTIFY refer active;expires=300 SIP/2.0 180 Ringing']);
  const { state, words } = run(ringing.state, answered, report(200));
  assert.deepEqual(words, ['NOTIFY refer terminated;reason=noresource SIP/2.0 200 OK', 'cancel referral']);
  assert.deepEqual(run(state, report(200)).words, []);
});

test('A NOTIFY waits for the answer to the one before, and replaces an outdated waiting one', () => {
  const waiting = run(live(), refer(), accept, report(180), report(183), report(200));
  assert.deepEqual(waiting.words, ['cancel referral']);
  const last = run(waiting.state, answered);
  assert.deepEqual(last.words, ['NOTIFY refer terminated;reason=noresource SIP/2.0 200 OK']);
  assert.deepEqual(run(last.state, answered).words, []);
  const held = run(waiting.state, { type: 'hang-up' }, answered);
  assert.deepEqual(held.words, last.words);
  assert.deepEqual(run(held.state, answered).words, ['send BYE']);
});

test('RFC 3515 §2.4.6: from the second REFER of a dialog on the event carries the CSeq of its REFER', () => {
  const { words } = run(live(), refer(), accept, answered, report(486), answered, refer(12), accept);
  assert.equal(words[2], 'NOTIFY refer;id=12 active;expires=300 SIP/2.0 100 Trying');
});

test('A REFER is declined with 603 while another one is open, and when the owner does not accept it', () => {
  assert.deepEqual(run(live(), refer(), refer(12)).words, ['603 to REFER 12']);
  assert.deepEqual(run(live(), refer(), { type: 'refuse-referral', status: 603 }).words, [
    'cancel referral',
    '603 to REFER 11',
  ]);
  assert.deepEqual(run(live(), refer(), { type: 'timer-fired', key: 'referral' }).words, [
    'cancel referral',
    '603 to REFER 11',
  ]);
});

test('The refusal of a REFER carries the header fields of the owner', () => {
  const headers = [['X-Why', 'permission']] as const;
  const { state } = stepSession(live(), refer(), 0);
  const { effects } = stepSession(state, { type: 'refuse-referral', status: 401, headers }, 0);
  assert.deepEqual(effects[1], { do: 'respond', transaction: 'REFER 11', status: 401, headers });
});

test('A subscription without a final status in time ends with a NOTIFY', () => {
  assert.deepEqual(run(live(), refer(), accept, answered, { type: 'timer-fired', key: 'referral' }).words, [
    'NOTIFY refer terminated;reason=timeout SIP/2.0 408 Request Timeout',
    'cancel referral',
  ]);
});

test('RFC 5057 §5.1: a refused or lost NOTIFY ends the subscription, and the call goes on', () => {
  const accepted = run(live(), refer(), accept).state;
  const refused = toNotify(481, 1);
  for (const input of [refused, { type: 'failed', method: 'NOTIFY', failure: 'timeout' } as const]) {
    const { state, words } = run(accepted, input);
    assert.deepEqual(words, ['cancel referral']);
    assert.equal(state.phase, 'live');
  }
});

test('RFC 3515 §2.4.6: a refused NOTIFY ends its own subscription only, not that of an earlier or later REFER', () => {
  const lost = { type: 'failed', method: 'NOTIFY', failure: 'timeout' } as const;
  const notifyRefused = (state: Session) => toNotify(481, state.notifying?.cseq ?? 0);
  // The outcome of the first waits for its 100, and the 100 of the second for both.
  const both = run(live(), refer(), accept, report(200), refer(12), accept).state;
  const second = 'NOTIFY refer;id=12 active;expires=300 SIP/2.0 100 Trying';
  for (const input of [notifyRefused(both), lost]) {
    const { state, words } = run(both, input);
    assert.deepEqual(words, [second]);
    assert.deepEqual(run(state, answered, report(486)).words, [
      'NOTIFY refer;id=12 terminated;reason=noresource SIP/2.0 486 Busy Here',
      'cancel referral',
    ]);
  }
  // The NOTIFY of the second is refused while the outcome of the third waits.
  const later = run(both, answered, answered).state;
  assert.equal(later.notifying?.notice.event, 'refer;id=12');
  const third = run(later, report(200), refer(13), accept).state;
  const { words } = run(third, notifyRefused(third));
  assert.deepEqual(words, ['NOTIFY refer;id=13 active;expires=300 SIP/2.0 100 Trying']);
});

test('A refused NOTIFY of an earlier REFER does not affect an unanswered REFER', () => {
  const asked = run(live(), refer(), accept, report(200), refer(12)).state;
  const refused = run(asked, toNotify(481, asked.notifying?.cseq ?? 0));
  assert.deepEqual(refused.words, []);
  assert.deepEqual(run(refused.state, accept).words, [
    '202 to REFER 12',
    'start referral +300000',
    'NOTIFY refer;id=12 active;expires=300 SIP/2.0 100 Trying',
  ]);
});

test('After a hang-up the outcome of a REFER is sent before the BYE, even if the NOTIFY of another REFER is refused', () => {
  const both = run(live(), refer(), accept, report(200), refer(12), accept, report(486), { type: 'hang-up' });
  assert.equal(both.state.phase, 'held');
  const next = run(both.state, toNotify(481, both.state.notifying?.cseq ?? 0));
  assert.deepEqual(next.words, ['NOTIFY refer;id=12 terminated;reason=noresource SIP/2.0 486 Busy Here']);
  assert.deepEqual(run(next.state, answered).words, ['send BYE']);
});

test('After a hang-up the BYE follows the answer to the NOTIFY with the outcome of the transfer', () => {
  const reported = run(live(), refer(), accept, answered, report(200), { type: 'hang-up' });
  assert.deepEqual([reported.state.phase, reported.words], ['held', ['end']]);
  assert.deepEqual(run(reported.state, answered).words, ['send BYE']);
  assert.deepEqual(run(reported.state, { type: 'failed', method: 'NOTIFY', failure: 'timeout' }).words, [
    'send BYE',
  ]);
  assert.deepEqual(run(reported.state, received('BYE', 12)).words, ['200 to BYE 12']);
});

test('The end of the call answers an open REFER and ends its subscription', () => {
  const asked = run(live(), refer(), received('BYE', 12));
  assert.ok(asked.words.includes('487 to REFER 11'));
  assert.ok(run(live(), refer(), accept, { type: 'hang-up' }).words.includes('cancel referral'));
});

test('RFC 3891 §6.1: Replaces is a Call-ID with a to-tag and a from-tag', () => {
  assert.deepEqual(parseReplaces('98732@x ; from-tag=r33th4x0r;to-tag=ff87ff;early-only'), {
    callId: '98732@x',
    toTag: 'ff87ff',
    fromTag: 'r33th4x0r',
    earlyOnly: true,
  });
  for (const text of [
    '',
    'x',
    'x;to-tag=1',
    ';to-tag=1;from-tag=2',
    'x;to-tag=1;from-tag',
    'x;to-tag="1;from-tag=2',
  ]) {
    assert.equal(parseReplaces(text), undefined, text);
  }
});
