import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LegEnd } from '@jackfield/ports';
import { createHeaders, type SipRequest, type SipResponse } from '@jackfield/sip';
import { newLegAudio } from './leg-audio.ts';
import { legMachine } from './leg-machine.ts';
import { dialledSrtp, noSrtp } from './leg-srtp.ts';
import type { LegEffect, LegInput, LegState, OfferedLeg } from './leg-state.ts';

function sdp(address: string, payloads = '0', profile = 'RTP/AVP'): string {
  const media = `m=audio 5004 ${profile} ${payloads}`;
  const lines = ['v=0', `o=- 1 1 IN IP4 ${address}`, 's=-', `c=IN IP4 ${address}`, 't=0 0', media];
  return [...lines, ''].join('\r\n');
}

const offer = sdp('10.0.0.2');
const answer = sdp('10.0.0.3');
/** Payload type 18 is G.729, which this server does not support. */
const nothingInCommon = sdp('10.0.0.2', '18');

const request = (body: string, type = 'application/sdp'): SipRequest => ({
  kind: 'request',
  method: 'INVITE',
  uri: 'sip:bob@example.com',
  headers: createHeaders([
    ['From', '<sip:a@example.com>;tag=peer'],
    ['Content-Type', type],
  ]),
  body,
});
const response = (status: number, body: string, tag = 'peer'): SipResponse => ({
  kind: 'response',
  status,
  reason: '',
  headers: createHeaders([['To', `<sip:b@example.com>;tag=${tag}`]]),
  body,
});

const audio = newLegAudio({ address: '192.0.2.1', sessionId: '1', srtp: noSrtp });
const incoming: OfferedLeg = {
  phase: 'offered',
  audio,
  offer,
  takesReliable: false,
  isExternal: false,
  port: 'closed',
  requested: 'nothing',
};

const opened: LegInput = { type: 'port-opened', opened: { port: 40_000 } };
const failed: LegInput = { type: 'port-failed' };
const dial: LegInput = { type: 'dial', targets: 1, forwardsLeft: 70 };
const ring: LegInput = { type: 'ring' };
const openEarly: LegInput = { type: 'open-early' };
const answerIt: LegInput = { type: 'answer' };
const hangUp: LegInput = { type: 'hang-up', status: 603 };
const broken: LegInput = { type: 'broken' };
const provisional = (body: string, tag?: string): LegInput => ({
  type: 'provisional',
  response: response(183, body, tag),
});
const accepted = (body: string): LegInput => ({ type: 'accepted-by-peer', response: response(200, body) });
const acknowledged = (body: string): LegInput => ({ type: 'acknowledged', answer: body });
const reoffered = (body: string, type?: string): LegInput => ({
  type: 'session-offered',
  request: request(body, type),
});
const renewed = (body: string): LegInput => ({ type: 'session-answered', response: response(200, body) });
const over = (end: LegEnd, status?: number): LegInput => ({
  type: 'dialog-ended',
  end,
  ...(status === undefined ? {} : { status }),
});
const bye = over({ by: 'remote-bye' });

/** An effect as one word, with its distinguishing value. */
function word(effect: LegEffect): string {
  switch (effect.do) {
    case 'connect-media':
      return `connect ${effect.agreed.address}`;
    case 'send-provisional':
      return `${effect.status}${effect.description === undefined ? '' : ' with description'}`;
    case 'reject':
    case 'refuse-session':
      return `${effect.do} ${effect.status}`;
    case 'notify':
      return effect.notice;
    case 'finish':
      return `finish ${effect.end.by}${effect.hasPort ? ' with port' : ''}`;
    default:
      return effect.do;
  }
}

/** The state of a leg after these inputs, and the effects of the last one. */
function after(state: LegState, ...inputs: readonly LegInput[]) {
  let effects: readonly LegEffect[] = [];
  let now = state;
  for (const input of inputs) ({ state: now, effects } = legMachine.step(now, input, 0));
  return { state: now, effects: effects.map(word) };
}

interface Row {
  readonly title: string;
  readonly from: LegState;
  readonly inputs: readonly LegInput[];
  readonly phase: LegState['phase'];
  readonly effects: readonly string[];
}

const row = (
  title: string,
  from: LegState,
  inputs: readonly LegInput[],
  phase: LegState['phase'],
  ...effects: readonly string[]
): Row => ({ title, from, inputs, phase, effects });

function table(rows: readonly Row[]): void {
  for (const { title, from, inputs, phase, effects } of rows) {
    it(title, () => {
      const reached = after(from, ...inputs);
      assert.deepEqual([reached.state.phase, reached.effects], [phase, effects]);
    });
  }
}

const preparing: LegState = { phase: 'preparing', audio };
const dialling = after(preparing, dial, opened).state;
const early = after(dialling, provisional(answer)).state;
const answered = after(dialling, accepted(answer)).state;
const withoutOffer: OfferedLeg = { ...incoming, offer: '' };
const reliable: OfferedLeg = { ...withoutOffer, takesReliable: true };
const external: OfferedLeg = { ...incoming, isExternal: true };
const awaitingAck = after(withoutOffer, answerIt, opened).state;
const earlyOffered = after(reliable, openEarly, opened).state;

describe('the machine of an incoming leg', () => {
  table([
    row('rings without a port', incoming, [ring], 'offered', '180'),
    row('opens its port for an answer', incoming, [answerIt], 'offered', 'open-port'),
    row('opens its port once for early media and an answer', incoming, [openEarly, answerIt], 'offered'),
    row('is answered once', incoming, [answerIt, answerIt], 'offered'),
    row('has no early media after an answer was requested', incoming, [answerIt, openEarly], 'offered'),
    row(
      'is answered when its port is open',
      incoming,
      [answerIt, opened],
      'answered',
      'connect 10.0.0.2',
      'accept',
      'leg-answered',
    ),
    row(
      'skips early media for an answer that was requested meanwhile',
      incoming,
      [openEarly, answerIt, opened],
      'answered',
      'connect 10.0.0.2',
      'accept',
      'leg-answered',
    ),
    row(
      'has early media: the description of the answer comes in a 183',
      incoming,
      [openEarly, opened],
      'offered',
      'connect 10.0.0.2',
      '183 with description',
      'leg-early',
    ),
    row(
      'repeats the description of its early media in the 200',
      incoming,
      [openEarly, opened, answerIt],
      'answered',
      'accept',
      'leg-answered',
    ),
    row(
      'rings where early media is requested for an INVITE without an offer',
      withoutOffer,
      [openEarly, opened],
      'offered',
      '180',
      'leg-early',
    ),
    row(
      'RFC 3262 §5: offers early media reliably to an INVITE without an offer',
      reliable,
      [openEarly, opened],
      'offered',
      '183 with description',
      'leg-early',
    ),
    row('takes the answer in a PRACK', earlyOffered, [acknowledged(answer)], 'offered', 'connect 10.0.0.3'),
    row(
      'is refused when the PRACK has no codec in common',
      earlyOffered,
      [acknowledged(nothingInCommon)],
      'offered',
      'reject 488',
    ),
    row('ignores a PRACK without an open offer', incoming, [acknowledged(answer)], 'offered'),
    row(
      'makes an external caller ring instead of early media',
      external,
      [openEarly, opened],
      'offered',
      '180',
      'leg-early',
    ),
    row(
      'waits for the ACK of an external caller',
      external,
      [answerIt, opened],
      'accepted',
      'connect 10.0.0.2',
      'accept',
    ),
    row(
      'is answered by the ACK of an external caller',
      external,
      [answerIt, opened, acknowledged('')],
      'answered',
      'leg-answered',
    ),
    row(
      'offers in the 200 to an INVITE without an offer',
      withoutOffer,
      [answerIt, opened],
      'accepted',
      'accept',
    ),
    row(
      'takes the answer in the ACK',
      awaitingAck,
      [acknowledged(answer)],
      'answered',
      'connect 10.0.0.3',
      'leg-answered',
    ),
    row('hangs up on an ACK without an answer', awaitingAck, [acknowledged('')], 'accepted', 'hang-up'),
    row(
      'ends with media-failed when the ACK has no codec in common',
      awaitingAck,
      [acknowledged(nothingInCommon), over({ by: 'local' })],
      'ended',
      'finish media-failed with port',
    ),
    row(
      'is refused with 488 when the offer has no codec in common',
      { ...incoming, offer: nothingInCommon },
      [answerIt, opened],
      'offered',
      'reject 488',
    ),
    row('is refused with 503 when no port is left', incoming, [answerIt, failed], 'offered', 'reject 503'),
    row(
      'ends with media-failed after that refusal',
      incoming,
      [answerIt, failed, over({ by: 'local' })],
      'ended',
      'finish media-failed',
    ),
    row('is refused with the status of the hang-up', incoming, [hangUp], 'offered', 'reject 603'),
    row('is hung up on by BYE after the 200', awaitingAck, [hangUp], 'accepted', 'hang-up'),
    row('is refused with 500 when work for it throws', incoming, [broken], 'offered', 'reject 500'),
    row(
      'ends when its caller gives up',
      incoming,
      [over({ by: 'remote-cancel' })],
      'ended',
      'finish remote-cancel',
    ),
    row(
      'closes the port that opens after its caller gave up',
      incoming,
      [answerIt, over({ by: 'remote-cancel' }), opened],
      'ended',
      'close-port',
    ),
    row(
      'answers an UPDATE before its answer',
      earlyOffered,
      [acknowledged(answer), reoffered(offer)],
      'offered',
      'connect 10.0.0.2',
      'answer-session',
    ),
    row('ignores inputs of a dialled leg', incoming, [accepted(answer)], 'offered'),
  ]);
});

describe('the machine of a dialled leg', () => {
  const secured: LegState = {
    phase: 'preparing',
    audio: { ...audio, srtp: dialledSrtp('offer', true) },
  };
  const securedDialling = after(secured, dial, { type: 'keys-drawn', keys: [] }, opened).state;
  table([
    row('opens its port first', preparing, [dial], 'preparing', 'open-port'),
    row('ends without a target', preparing, [{ ...dial, targets: 0 }], 'ended', 'finish no-target'),
    row(
      'RFC 7332 §3: ends when it may not be forwarded again',
      preparing,
      [{ ...dial, forwardsLeft: -1 }],
      'ended',
      'finish rejected',
    ),
    row('sends its INVITE when the port is open', preparing, [dial, opened], 'dialling', 'invite'),
    row('ends when no port is left', preparing, [dial, failed], 'ended', 'finish media-failed'),
    row('waits for its port after a hang-up', preparing, [dial, hangUp], 'preparing'),
    row(
      'sends no INVITE after a hang-up and closes the port',
      preparing,
      [dial, hangUp, opened],
      'ended',
      'finish local with port',
    ),
    row(
      'ends when work for it throws before its INVITE',
      preparing,
      [dial, broken],
      'ended',
      'finish media-failed',
    ),
    row('rings', dialling, [provisional('')], 'dialling', 'leg-ringing'),
    row(
      'has early media when a phone describes it',
      dialling,
      [provisional(answer)],
      'early',
      'leg-ringing',
      'connect 10.0.0.3',
      'leg-early',
    ),
    row('reports early media once', early, [provisional(answer)], 'early', 'leg-ringing', 'connect 10.0.0.3'),
    row('plays one phone of a forked call', early, [provisional(offer, 'other')], 'early', 'leg-ringing'),
    row('is answered', dialling, [accepted(answer)], 'answered', 'connect 10.0.0.3', 'leg-answered'),
    row(
      'is answered after early media by the description of its 183',
      early,
      [accepted('')],
      'answered',
      'connect 10.0.0.3',
      'leg-answered',
    ),
    row(
      'hangs up when the answer has no codec in common',
      dialling,
      [accepted(nothingInCommon)],
      'dialling',
      'hang-up',
    ),
    row(
      'ends with media-failed after that hang-up',
      dialling,
      [accepted(nothingInCommon), over({ by: 'local' })],
      'ended',
      'finish media-failed with port',
    ),
    row(
      'RFC 3311: answers the UPDATE of a phone that has not answered the call',
      dialling,
      [reoffered(offer)],
      'dialling',
      'connect 10.0.0.2',
      'answer-session',
    ),
    row(
      'refuses such an UPDATE without a codec in common',
      dialling,
      [reoffered(nothingInCommon)],
      'dialling',
      'refuse-session 488',
    ),
    row('is cancelled by a hang-up', dialling, [hangUp], 'dialling', 'hang-up'),
    row('is cancelled when work for it throws', early, [broken], 'early', 'hang-up'),
    row(
      'ends when its INVITE cannot be written',
      dialling,
      [{ type: 'invite-failed' }],
      'ended',
      'finish media-failed with port',
    ),
    row(
      'ends with the refusal of its INVITE',
      dialling,
      [over({ by: 'rejected', sipStatus: 486 }, 486)],
      'ended',
      'finish rejected with port',
    ),
    row(
      'does not dial again without SRTP when SRTP was not offered',
      dialling,
      [over({ by: 'rejected', sipStatus: 488 }, 488)],
      'ended',
      'finish rejected with port',
    ),
    row(
      'RFC 8643: dials again without an offer of SRTP when that description was refused',
      securedDialling,
      [over({ by: 'rejected', sipStatus: 488 }, 488)],
      'dialling',
      'invite',
    ),
    row(
      'does not dial again after a hang-up',
      securedDialling,
      [hangUp, over({ by: 'rejected', sipStatus: 488 }, 488)],
      'ended',
      'finish rejected with port',
    ),
    row('ignores an ACK', dialling, [acknowledged(answer)], 'dialling'),
  ]);
});

describe('the machine of an answered leg', () => {
  table([
    row(
      'answers a re-INVITE',
      answered,
      [reoffered(offer)],
      'answered',
      'connect 10.0.0.2',
      'answer-session',
    ),
    row('offers to a re-INVITE without an offer', answered, [reoffered('')], 'answered', 'answer-session'),
    row(
      'takes the answer in the ACK of that re-INVITE',
      answered,
      [reoffered(''), acknowledged(offer)],
      'answered',
      'connect 10.0.0.2',
    ),
    row(
      'continues unchanged when that ACK has no answer',
      answered,
      [reoffered(''), acknowledged('')],
      'answered',
    ),
    row(
      'ends when that ACK has no codec in common',
      answered,
      [reoffered(''), acknowledged(nothingInCommon)],
      'answered',
      'hang-up',
    ),
    row('ignores an ACK without an open offer', answered, [acknowledged(offer)], 'answered'),
    row(
      'refuses a re-INVITE without a codec in common',
      answered,
      [reoffered(nothingInCommon)],
      'answered',
      'refuse-session 488',
    ),
    row(
      'RFC 3261 §8.2.3: refuses a body of another type',
      answered,
      [reoffered('hello', 'text/plain')],
      'answered',
      'refuse-session 415',
    ),
    row(
      'follows a peer that moved in the answer to a repeated description',
      answered,
      [renewed(offer)],
      'answered',
      'connect 10.0.0.2',
    ),
    row('keeps its audio when that answer is empty', answered, [renewed('')], 'answered'),
    row('hangs up', answered, [hangUp], 'answered', 'hang-up'),
    row('hangs up when work for it throws', answered, [broken], 'answered', 'hang-up'),
    row('ends when the peer hangs up', answered, [bye], 'ended', 'finish remote-bye with port'),
    row(
      'reports its own reason before that of the dialog',
      answered,
      [broken, bye],
      'ended',
      'finish media-failed with port',
    ),
    row('needs no answer, early media or ringing', answered, [ring, openEarly, answerIt], 'answered'),
  ]);
});

describe('the machine of an ended leg', () => {
  const inputs: readonly LegInput[] = [
    dial,
    ring,
    openEarly,
    answerIt,
    hangUp,
    failed,
    { type: 'keys-drawn', keys: [] },
    { type: 'invite-failed' },
    broken,
    provisional(answer),
    accepted(answer),
    acknowledged(answer),
    reoffered(offer),
    renewed(answer),
    bye,
  ];
  for (const input of inputs) {
    it(`ignores ${input.type}`, () => {
      assert.deepEqual(after({ phase: 'ended' }, input), { state: { phase: 'ended' }, effects: [] });
    });
  }

  it('closes a port that opens late', () => {
    assert.deepEqual(after({ phase: 'ended' }, opened).effects, ['close-port']);
  });
});
