import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMessage } from '../message/parse-message.ts';
import { createMemoryLink, recordingListener } from './testing/memory-link.ts';

const content = { body: 'v=0', contentType: 'application/sdp' };
const header = (message: string | undefined, name: string) =>
  parseMessage(message ?? '').message?.headers.get(name);

for (const [peer, via] of [
  ['with the branch of its re-INVITE', 'SIP/2.0/UDP 10.0.0.2:5060;rport;branch=z9hG4bKsame'],
  ['of RFC 2543 without a branch', 'SIP/2.0/UDP 10.0.0.2:5060'],
] as const) {
  test(`RFC 6026 §7.1: a phone that was called has its re-INVITE acknowledged by an ACK ${peer}`, () => {
    const link = createMemoryLink();
    const log = recordingListener();
    link.bob.onInvite = (incoming) => {
      incoming.listen({});
      incoming.accept(content);
    };
    const target = { targets: [{ uri: 'sip:bob@10.0.0.2' }], from: '<sip:a@x>', to: '<sip:b@x>', content };
    const call = link.alice.ua.invite(target, { ...log, offered: () => call.answerOffer(content) });
    link.clock.advance(100);
    const answer = link.bob.texts.find((each) => each.startsWith('SIP/2.0 200'));
    const request = (method: string, body: string): string => {
      const lines = [
        `${method} sip:10.0.0.1:5060 SIP/2.0`,
        `Via: ${via}`,
        `From: ${header(answer, 'To')}`,
        `To: ${header(answer, 'From')}`,
        `Call-ID: ${call.callId}`,
        `CSeq: 7 ${method}`,
        'Contact: <sip:bob@10.0.0.2>',
        'Content-Type: application/sdp',
        `Content-Length: ${body.length}`,
      ];
      return `${lines.join('\r\n')}\r\n\r\n${body}`;
    };
    link.inject('alice', request('INVITE', 'v=0 hold'));
    link.clock.advance(100);
    link.inject('alice', request('ACK', ''));
    link.clock.advance(40_000);
    assert.deepEqual(log.log, ['answered v=0', 'acknowledged']);
    assert.equal(link.alice.sent.filter((line) => line.startsWith('SIP/2.0 200')).length, 1);
    link.alice.ua.close();
    link.bob.ua.close();
  });
}
