import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { createResponse } from '../message/create-response.ts';
import { RFC3261_TIMERS } from '../transaction/timers.ts';
import { createCalleeDialog } from './dialog.ts';
import { stepSession } from './session.ts';
import { glareDelay } from './session-responses.ts';
import { calleeSession, type Session, type SessionEffect, type SessionInput } from './session-state.ts';

const content = { body: 'sdp', contentType: 'application/sdp' };

function request(method: string, cseq: number, body = 'sdp') {
  return createRequest({
    method,
    uri: 'sip:b@y',
    from: '<sip:a@x>;tag=a',
    to: '<sip:b@y>;tag=b',
    callId: 'c',
    cseq,
    contact: '<sip:a@moved>',
    body,
    contentType: 'application/sdp',
  });
}

function received(method: string, cseq: number, body = 'sdp'): SessionInput {
  return {
    type: 'request',
    transaction: `${method} ${cseq}`,
    request: request(method, cseq, body),
    chance: 0.5,
  };
}

/** A callee whose 2xx to INVITE 10 waits for its ACK. */
function answered(delayedOffer = false): Session {
  const invite = request('INVITE', 10);
  const answer = { transaction: 'INVITE 10', cseq: 10, delayedOffer };
  return calleeSession('s', createCalleeDialog(invite, 'b'), RFC3261_TIMERS, answer, 0).state;
}

function live(): Session {
  return stepSession(answered(), { type: 'ack', request: request('ACK', 10, '') }, 0).state;
}

function words(effects: readonly SessionEffect[]): string[] {
  return effects.map((effect) => {
    switch (effect.do) {
      case 'respond':
        return `${effect.status} to ${effect.transaction}`;
      case 'request':
        return `send ${effect.request.method}`;
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
  });
}

function run(state: Session, ...inputs: SessionInput[]): { state: Session; words: string[] } {
  let current = state;
  let effects: readonly SessionEffect[] = [];
  for (const input of inputs) ({ state: current, effects } = stepSession(current, input, 0));
  return { state: current, words: words(effects) };
}

const response = (method: string, cseq: number, status: number): SessionInput => ({
  type: 'response',
  method,
  response: createResponse(request(method, cseq), status),
  isFinal: true,
  chance: 0.5,
});

test('§12.2.2: if the sequence number is lower than the remote one, the request is out of order and MUST be rejected with a 500', () => {
  assert.deepEqual(run(live(), received('INFO', 9)).words, ['500 to INFO 9']);
  assert.deepEqual(run(live(), received('BYE', 9)).words, ['500 to BYE 9']);
});

test('§14.2: a second INVITE before the final response to the first gets a 500 with Retry-After between 0 and 10 seconds', () => {
  const { state } = run(live(), received('INVITE', 11));
  const step = stepSession(state, received('INVITE', 12), 0);
  assert.deepEqual(words(step.effects), ['500 to INVITE 12']);
  const [effect] = step.effects;
  assert.deepEqual(effect?.do === 'respond' && effect.headers, [['Retry-After', '5']]);
});

test('§14.2: an INVITE while our INVITE is in progress gets a 491', () => {
  const { words: said } = run(live(), { type: 'offer', content }, received('INVITE', 11));
  assert.deepEqual(said, ['491 to INVITE 11']);
});

test('§14.1: no new INVITE while another one is in progress in either direction', () => {
  const refused = ['offer-refused'];
  assert.deepEqual(run(live(), received('INVITE', 11), { type: 'offer', content }).words, refused);
  assert.deepEqual(run(live(), { type: 'offer', content }, { type: 'offer', content }).words, refused);
  assert.deepEqual(run(answered(), { type: 'offer', content }).words, refused);
});

test('RFC 5407 §3.1.4: a re-INVITE that overtakes the ACK is accepted and ends the repetition of the 2xx', () => {
  const { state, words: said } = run(answered(), received('INVITE', 11));
  assert.deepEqual(said, ['cancel repeat', 'cancel no-ack', 'offered']);
  assert.equal(state.repeating, undefined);
});

test('RFC 5407 §3.1.4: a re-INVITE that overtakes the ACK with the answer gets a 491', () => {
  assert.deepEqual(run(answered(true), received('INVITE', 11)).words, ['491 to INVITE 11']);
});

test('§13.3.1.4: the 2xx is repeated after T1, doubling up to T2, and after 64*T1 a BYE ends the session', () => {
  let state = answered();
  const intervals: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const step = stepSession(state, { type: 'timer-fired', key: 'repeat' }, 0);
    state = step.state;
    intervals.push(words(step.effects)[1]!);
    assert.equal(step.effects[0]?.do, 'repeat-answer');
  }
  assert.deepEqual(
    intervals,
    [1000, 2000, 4000, 4000, 4000].map((ms) => `start repeat +${ms}`),
  );
  const { words: said } = run(state, { type: 'timer-fired', key: 'no-ack' });
  assert.deepEqual(said, ['cancel repeat', 'cancel no-ack', 'end no-ack', 'send BYE']);
});

test('An ACK with another CSeq, or a second ACK, does nothing', () => {
  assert.deepEqual(run(answered(), { type: 'ack', request: request('ACK', 9) }).words, []);
  assert.deepEqual(run(live(), { type: 'ack', request: request('ACK', 10) }).words, []);
});

test('§15: the callee MUST NOT send a BYE until it has received an ACK for its 2xx', () => {
  const waiting = run(answered(), { type: 'hang-up' });
  assert.deepEqual(waiting.words, ['end local']);
  const acknowledged = run(waiting.state, { type: 'ack', request: request('ACK', 10) });
  assert.deepEqual(acknowledged.words, ['cancel repeat', 'cancel no-ack', 'send BYE']);
  const timedOut = run(waiting.state, { type: 'timer-fired', key: 'no-ack' });
  assert.deepEqual(timedOut.words, ['cancel repeat', 'cancel no-ack', 'send BYE']);
});

test('§15.1.2: a BYE before the ACK is answered with 200 and ends the repetition of the 2xx', () => {
  assert.deepEqual(run(answered(), received('BYE', 11)).words, [
    '200 to BYE 11',
    'cancel repeat',
    'cancel no-ack',
    'end remote-bye',
  ]);
});

test('§15.1.2: pending requests of a dialog that BYE ends are answered with 487', () => {
  assert.deepEqual(run(live(), received('INVITE', 11), received('BYE', 12)).words, [
    '200 to BYE 12',
    'end remote-bye',
    '487 to INVITE 11',
  ]);
  assert.deepEqual(run(live(), received('INVITE', 11), { type: 'hang-up' }).words, [
    'end local',
    '487 to INVITE 11',
    'send BYE',
  ]);
});

test('A BYE that crosses ours is answered with 200, anything else with 481', () => {
  assert.deepEqual(run(live(), { type: 'hang-up' }, received('BYE', 11)).words, ['200 to BYE 11']);
  assert.deepEqual(run(live(), { type: 'hang-up' }, received('INVITE', 11)).words, ['481 to INVITE 11']);
  assert.deepEqual(run(live(), { type: 'hang-up' }, received('INFO', 11)).words, ['481 to INFO 11']);
});

test('§12.2.1.2: a 481 or 408, or no response at all, ends the dialog with a BYE', () => {
  for (const status of [481, 408]) {
    const { words: said } = run(live(), { type: 'send-info', content }, response('INFO', 1, status));
    assert.deepEqual(said, ['end dialog-lost', 'send BYE']);
  }
  const failed: SessionInput = { type: 'failed', method: 'INFO', failure: 'timeout' };
  assert.deepEqual(run(live(), { type: 'send-info', content }, failed).words, [
    'end dialog-lost',
    'send BYE',
  ]);
});

test('§14.1: a re-INVITE that fails with another status leaves the session as it was', () => {
  const { state, words: said } = run(live(), { type: 'offer', content }, response('INVITE', 1, 488));
  assert.deepEqual(said, ['cancel offer-limit', 'offer-refused']);
  assert.equal(state.phase, 'live');
});

test('A retransmitted 2xx of an earlier re-INVITE is acknowledged and does not answer the next one', () => {
  const second = run(live(), { type: 'offer', content }, response('INVITE', 1, 200), {
    type: 'offer',
    content,
  });
  assert.deepEqual(run(second.state, response('INVITE', 1, 200)).words, ['ack']);
  assert.deepEqual(run(second.state, response('INVITE', 2, 200)).words, [
    'ack',
    'cancel offer-limit',
    'offer-answered',
  ]);
});

test('§14.1: after 491 the owner of the Call-ID waits 2.1 to 4 s and the other side 0 to 2 s, in units of 10 ms', () => {
  for (let chance = 0; chance < 1; chance += 0.0007) {
    const owner = glareDelay(true, chance);
    const other = glareDelay(false, chance);
    assert.ok(owner >= 2100 && owner <= 4000 && owner % 10 === 0, String(owner));
    assert.ok(other >= 0 && other <= 2000 && other % 10 === 0, String(other));
  }
  assert.equal(glareDelay(true, 0.99999), 4000);
  assert.equal(glareDelay(false, 0.99999), 2000);
});

test('§12.2.2: an accepted re-INVITE refreshes the remote target, a refused one does not', () => {
  const offered = run(live(), received('INVITE', 11));
  assert.equal(
    run(offered.state, { type: 'answer-offer', content }).state.dialog.remoteTarget,
    'sip:a@moved',
  );
  const other = { ...offered.state, dialog: { ...offered.state.dialog, remoteTarget: 'sip:a@first' } };
  assert.equal(run(other, { type: 'refuse-offer', status: 488 }).state.dialog.remoteTarget, 'sip:a@first');
});

test('§9.2: a cancelled re-INVITE is answered with 487 and the session goes on', () => {
  const { state, words: said } = run(live(), received('INVITE', 11), {
    type: 'cancelled',
    transaction: 'INVITE 11',
  });
  assert.deepEqual(said, ['487 to INVITE 11', 'offer-withdrawn']);
  assert.equal(state.phase, 'live');
});

test('§8.2.1: within a dialog OPTIONS and INFO get 200, registered methods 405, others 501', () => {
  const statuses = ['OPTIONS', 'INFO', 'PUBLISH', 'FROB'].map(
    (method) => run(live(), received(method, 11)).words[0],
  );
  assert.deepEqual(statuses, ['200 to OPTIONS 11', '200 to INFO 11', '405 to PUBLISH 11', '501 to FROB 11']);
});

test('A re-INVITE without a final response is abandoned, and the owner gets 408', () => {
  const { words: said } = run(
    live(),
    { type: 'offer', content },
    { type: 'timer-fired', key: 'offer-limit' },
  );
  assert.deepEqual(said, ['abandon-offer', 'offer-refused']);
});
