import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createUserAgent } from '../index.ts';
import type { Flow } from '../message/flow.ts';
import { challengeAnswer } from './challenge-answer.ts';
import { createPhoneUserAgent } from './phone-user-agent.ts';
import { createVirtualClock, recordingListener } from './testing/memory-link.ts';
import type { IncomingRequest, PhoneUserAgent } from './user-agent-options.ts';

const content = { body: 'v=0\r\n', contentType: 'application/sdp' };
const challenge = 'Digest realm="x", nonce="n", qop="auth", algorithm=MD5';

const flow: Flow = {
  id: 'ws-1',
  protocol: 'wss',
  reliable: true,
  remoteAddress: '192.0.2.1',
  remotePort: 443,
  localAddress: 'x.invalid',
  localPort: 5060,
};

/** A phone and the server at the other end of its WebSocket. */
function world() {
  const clock = createVirtualClock();
  const asked: IncomingRequest[] = [];
  const log = recordingListener();
  let tokens = 0;
  let isCut = false;
  const cut = (): void => {
    isCut = true;
  };
  const common = {
    clock,
    flow: () => flow,
    address: () => ({ host: 'x.invalid', port: 5060 }),
    token: () => `t${tokens++}`,
  };
  const post = (to: () => PhoneUserAgent, text: string): void => {
    if (!isCut) clock.startTimer(clock.now() + 5, () => to().receive(text, flow));
  };
  const server: PhoneUserAgent = createUserAgent({
    ...common,
    send: (_target, text) => post(() => phone, text),
    on: {
      request: (incoming) => void asked.push(incoming),
      invite(invite) {
        invite.listen(log);
        invite.ring();
        invite.accept(content);
      },
    },
  });
  const phone: PhoneUserAgent = createPhoneUserAgent({
    ...common,
    send: (_target, text) => post(() => server, text),
    hash: (algorithm, text) =>
      createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
        .update(text)
        .digest('hex'),
    challengeAnswer,
    on: {
      request: (incoming) => incoming.reply(200),
      invite: (invite) => invite.accept(content),
    },
  });
  return { clock, server, phone, asked, log: log.log, cut };
}

describe('the user agent of a phone in a page', () => {
  const target = { targets: [{ uri: 'sip:b@x', flow: 'ws-1' }], from: '<sip:a@x>', to: '<sip:b@x>', content };

  it('answers the challenge to its REGISTER', () => {
    const w = world();
    const outcomes: string[] = [];
    const credentials = { username: 'a', password: 'secret' };
    w.phone.request(
      { method: 'REGISTER', uri: 'sip:x', flow: 'ws-1', from: '<sip:a@x>', to: '<sip:a@x>', credentials },
      (outcome) => outcomes.push(outcome.type === 'response' ? String(outcome.response.status) : 'failed'),
    );
    w.clock.advance(10);
    w.asked[0]!.reply(401, { headers: [['WWW-Authenticate', challenge]] });
    w.clock.advance(20);
    assert.match(w.asked[1]!.request.headers.get('Authorization') ?? '', /^Digest username="a"/);
    w.asked[1]!.reply(200);
    w.clock.advance(10);
    assert.deepEqual(outcomes, ['200']);
  });

  it('calls and is called, and leaves no timer', () => {
    const w = world();
    const mine = recordingListener();
    const call = w.phone.invite(target, mine);
    w.clock.advance(300);
    call.hangUp();
    const theirs = recordingListener();
    w.server.invite(target, theirs);
    w.clock.advance(300);
    assert.deepEqual([mine.log[0], mine.log[1]], ['ringing 180', 'answered v=0\r\n']);
    assert.deepEqual(theirs.log, ['answered v=0\r\n']);
    assert.ok(w.log.includes('ended remote-bye'));
    w.server.close();
    w.clock.advance(40_000);
    w.phone.close();
    assert.deepEqual([w.phone.census().timers, w.clock.pending()], [0, 0]);
  });

  it('sends everything over its WebSocket, also in a call that came through a proxy', () => {
    const clock = createVirtualClock();
    const sent: string[] = [];
    let tokens = 0;
    const phone = createPhoneUserAgent({
      clock,
      flow: () => flow,
      address: () => ({ host: 'x.invalid', port: 5060 }),
      token: () => `t${tokens++}`,
      send: (target, text) => void sent.push(`${text.split(' ')[0]} ${'flow' in target && target.flow}`),
      on: {
        request() {},
        invite(invite) {
          invite.accept(content);
          invite.hangUp();
        },
      },
    });
    phone.receive(
      [
        'INVITE sip:b@x.invalid SIP/2.0',
        'Via: SIP/2.0/WSS edge.example;branch=z9hG4bKtwo',
        'Via: SIP/2.0/UDP 192.0.2.9;branch=z9hG4bKone',
        'Record-Route: <sip:edge.example;transport=ws;lr>',
        'From: <sip:a@x>;tag=a',
        'To: <sip:b@x>',
        'Call-ID: c',
        'CSeq: 1 INVITE',
        'Contact: <sip:192.0.2.9>',
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
      flow,
    );
    clock.advance(40_000);
    assert.deepEqual([...new Set(sent)], ['SIP/2.0 ws-1', 'BYE ws-1']);
    phone.close();
  });

  it('gives up a call that is not answered after 64*T1', () => {
    const w = world();
    w.cut();
    const mine = recordingListener();
    w.phone.invite(target, mine);
    w.clock.advance(31_000);
    assert.deepEqual(mine.log, []);
    w.clock.advance(2_000);
    assert.deepEqual(mine.log, ['ended no-response']);
    w.clock.advance(64_000);
    assert.deepEqual(w.phone.census(), { transactions: 0, dialogs: 0, timers: 0 });
  });
});
