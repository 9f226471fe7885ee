import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { createResponse } from '../message/create-response.ts';
import { RFC3261_TIMERS } from '../transaction/timers.ts';
import { createCalleeDialog } from './dialog.ts';
import { stepSession } from './session.ts';
import { calleeSession, type Session, type SessionEffect, type SessionInput } from './session-state.ts';

const content = { body: 'sdp', contentType: 'application/sdp' };

function request(method: string, cseq: number, body: string, headers: [string, string][] = []) {
  return createRequest({
    method,
    uri: 'sip:b@y',
    from: '<sip:a@x>;tag=a',
    to: '<sip:b@y>;tag=b',
    callId: 'c',
    cseq,
    contact: '<sip:a@moved>',
    headers,
    body,
    contentType: 'application/sdp',
  });
}

function received(method: string, cseq: number, body = 'sdp', headers?: [string, string][]): SessionInput {
  const transaction = `${method} ${cseq}`;
  return { type: 'request', transaction, request: request(method, cseq, body, headers), chance: 0.5 };
}

function answeredCall(delayedOffer = false): Session {
  const answer = { transaction: 'INVITE 10', cseq: 10, delayedOffer };
  const dialog = createCalleeDialog(request('INVITE', 10, 'sdp'), 'b');
  return calleeSession('s', dialog, RFC3261_TIMERS, answer, 0).state;
}

/** A live session with a peer whose Allow names UPDATE. */
function live(): Session {
  const { state } = stepSession(answeredCall(), { type: 'ack', request: request('ACK', 10, '') }, 0);
  return { ...state, peerTakesUpdate: true };
}

function word(effect: SessionEffect): string {
  switch (effect.do) {
    case 'respond': {
      const retry = effect.headers?.find(([name]) => name === 'Retry-After');
      return `${effect.status} to ${effect.transaction}${retry ? ` after ${retry[1]}` : ''}`;
    }
    case 'request':
      return `send ${effect.request.method}${effect.request.body === '' ? '' : ' with offer'}`;
    case 'start-timer':
      return `start ${effect.key} +${effect.at}`;
    case 'cancel-timer':
      return `cancel ${effect.key}`;
    case 'emit':
      return effect.event.type;
    case 'end':
      return `end ${effect.reason.by}`;
    default:
      return effect.do;
  }
}

function run(state: Session, ...inputs: SessionInput[]): { state: Session; words: string[] } {
  let current = state;
  let effects: readonly SessionEffect[] = [];
  for (const input of inputs) ({ state: current, effects } = stepSession(current, input, 0));
  return { state: current, words: effects.map(word) };
}

const ourOffer: SessionInput = { type: 'offer', content, method: 'UPDATE' };
const response = (status: number, cseq = 1, isFinal = true): SessionInput => ({
  type: 'response',
  method: 'UPDATE',
  response: createResponse(request('UPDATE', cseq, 'sdp'), status, undefined, {
    headers: [['Contact', '<sip:a@elsewhere>']],
  }),
  isFinal,
  chance: 0.5,
});

test('RFC 3311 §5.2: an UPDATE without an offer is answered with 200 and refreshes the target', () => {
  const { state, words } = run(live(), received('UPDATE', 11, ''));
  assert.deepEqual(words, ['200 to UPDATE 11']);
  assert.equal(state.dialog.remoteTarget, 'sip:a@moved');
});

test('RFC 3311 §5.2: an UPDATE with an offer is answered by the owner, and its 200 is not repeated', () => {
  const offered = run(live(), received('UPDATE', 11));
  assert.deepEqual(offered.words, ['start answer-limit +16000', 'offered']);
  const { state, words } = run(offered.state, { type: 'answer-offer', content });
  assert.deepEqual(words, ['200 to UPDATE 11', 'cancel answer-limit']);
  assert.equal(state.repeating, undefined);
  assert.equal(state.dialog.remoteTarget, 'sip:a@moved');
});

test('RFC 3311 §5.2: an UPDATE before the final response to a previous one gets 500 with a Retry-After of 0 to 10 seconds', () => {
  const { words } = run(live(), received('UPDATE', 11), received('UPDATE', 12));
  assert.deepEqual(words, ['500 to UPDATE 12 after 5']);
});

test('RFC 3311 §5.2: an UPDATE with an offer while their earlier offer is unanswered gets 500 with Retry-After', () => {
  const { words } = run(live(), received('INVITE', 11), received('UPDATE', 12));
  assert.deepEqual(words, ['500 to UPDATE 12 after 5']);
});

test('RFC 3311 §5.2: an UPDATE with an offer while our offer is unanswered gets 491', () => {
  assert.deepEqual(run(live(), ourOffer, received('UPDATE', 11)).words, ['491 to UPDATE 11']);
  assert.deepEqual(run(live(), { type: 'offer', content }, received('UPDATE', 11)).words, [
    '491 to UPDATE 11',
  ]);
  assert.deepEqual(
    run(answeredCall(true), received('UPDATE', 11)).words,
    ['491 to UPDATE 11'],
    'offer in our 2xx',
  );
});

test('An UPDATE without an offer is answered whatever offers are open', () => {
  assert.deepEqual(run(live(), ourOffer, received('UPDATE', 11, '')).words, ['200 to UPDATE 11']);
  assert.deepEqual(run(live(), received('INVITE', 11), received('UPDATE', 12, '')).words, [
    '200 to UPDATE 12',
  ]);
});

test('RFC 3311 §5.2: an UPDATE gets 504 if the owner does not answer in time', () => {
  const { state, words } = run(live(), received('UPDATE', 11), { type: 'timer-fired', key: 'answer-limit' });
  assert.deepEqual(words, ['504 to UPDATE 11', 'cancel answer-limit']);
  assert.deepEqual(run(state, { type: 'answer-offer', content }).words, []);
});

test('RFC 3311 §5.1: no UPDATE with an offer while an offer is open in either direction', () => {
  assert.deepEqual(run(live(), ourOffer, ourOffer).words, ['offer-refused']);
  assert.deepEqual(run(live(), received('UPDATE', 11), ourOffer).words, ['offer-refused']);
  assert.deepEqual(run(answeredCall(), ourOffer).words, ['offer-refused']);
});

test('An offer by UPDATE goes as a re-INVITE to a peer without UPDATE', () => {
  assert.deepEqual(run(live(), ourOffer).words, ['send UPDATE with offer']);
  const { words } = run({ ...live(), peerTakesUpdate: false }, ourOffer);
  assert.deepEqual(words, ['send INVITE with offer', 'start offer-limit +180000']);
});

test('RFC 3311 §5.3: a 2xx brings the answer and the new target', () => {
  const { state, words } = run(live(), ourOffer, response(200));
  assert.deepEqual(words, ['offer-answered']);
  assert.equal(state.dialog.remoteTarget, 'sip:a@elsewhere');
  assert.deepEqual(run(state, response(200)).words, [], 'once');
});

test('RFC 3311 §5.3: after 491 the offer is sent again after the time of RFC 3261 §14.1', () => {
  const { state, words } = run(live(), ourOffer, response(491));
  assert.deepEqual(words, ['start glare +1000']);
  assert.deepEqual(run(state, { type: 'timer-fired', key: 'glare' }).words, ['send UPDATE with offer']);
});

test('RFC 3311 §5.3: 481, 408 and a timeout end the dialog with BYE', () => {
  assert.deepEqual(run(live(), ourOffer, response(481)).words, ['end dialog-lost', 'send BYE']);
  assert.deepEqual(run(live(), ourOffer, response(408)).words, ['end dialog-lost', 'send BYE']);
  const silence: SessionInput = { type: 'failed', method: 'UPDATE', failure: 'timeout' };
  assert.deepEqual(run(live(), ourOffer, silence).words, ['end dialog-lost', 'send BYE']);
});

test('Any other refusal leaves the session as it was', () => {
  const { state, words } = run(live(), ourOffer, response(488));
  assert.deepEqual(words, ['offer-refused']);
  assert.equal(state.phase, 'live');
  assert.equal(state.ours, undefined);
});

test('A challenge to an UPDATE is answered once', () => {
  assert.deepEqual(run(live(), ourOffer, response(401, 1, false)).words, ['send UPDATE with offer']);
  assert.deepEqual(run(live(), ourOffer, response(401)).words, ['offer-refused']);
});

test('The end of the session answers the peer’s pending UPDATE, and drops ours', () => {
  const { words } = run(live(), received('UPDATE', 11), received('BYE', 12, ''));
  assert.deepEqual(words, ['200 to BYE 12', 'end remote-bye', '487 to UPDATE 11', 'cancel answer-limit']);
  const { state } = run(live(), ourOffer, { type: 'hang-up' });
  assert.equal(state.ours, undefined);
});

test('RFC 4028 §9: the timer runs from the 2xx to any UPDATE or re-INVITE, and stops after a 2xx without Session-Expires', () => {
  const timed: [string, string][] = [
    ['Supported', 'timer'],
    ['Session-Expires', '300;refresher=uas'],
  ];
  const started = run(live(), received('UPDATE', 11, '', timed));
  assert.deepEqual(started.words, ['200 to UPDATE 11', 'start expiry +268000', 'start refresh +150000']);
  const turned = run(
    started.state,
    received('UPDATE', 12, '', [timed[0]!, ['Session-Expires', '300;refresher=uac']]),
  );
  assert.deepEqual(turned.words, ['200 to UPDATE 12', 'start expiry +268000', 'cancel refresh']);
  const stopped = run(turned.state, received('UPDATE', 13, ''));
  assert.deepEqual(stopped.words, ['200 to UPDATE 13', 'cancel expiry']);
});

test('RFC 4028 §10: a refresh waits while an offer is open, and the session expires when none succeeds', () => {
  const terms = { intervalS: 300, minS: 90, weRefresh: true };
  const idle = live();
  const timed: Session = { ...idle, expiry: { ...idle.expiry, terms } };
  assert.deepEqual(run(timed, { type: 'timer-fired', key: 'refresh' }).words, ['send UPDATE']);
  const busy = run(timed, received('INVITE', 11), { type: 'timer-fired', key: 'refresh' });
  assert.deepEqual(busy.words, ['start refresh +30000']);
  assert.deepEqual(run(timed, { type: 'timer-fired', key: 'refresh' }, response(500)).words, [
    'start refresh +30000',
  ]);
  assert.deepEqual(run(timed, { type: 'timer-fired', key: 'expiry' }).words, [
    'end session-expired',
    'cancel expiry',
    'cancel refresh',
    'send BYE',
  ]);
});
