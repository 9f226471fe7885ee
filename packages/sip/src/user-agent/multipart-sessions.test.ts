import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryLink, recordingListener } from './testing/memory-link.ts';

const sdp = (body: string) => ({ body, contentType: 'application/sdp' });

/** The message with its SDP in a multipart beside a body for telephone exchanges, as a gateway of RFC 3204 sends it. */
function asGateway(handling: string): (text: string) => string {
  return (text) => {
    // Refusable requests come without the extra part unless it is optional.
    if (handling === '' && /^(?:INVITE|PRACK)/.test(text)) return text;
    const [head = '', body = ''] = text.split('\r\n\r\n');
    if (body === '') return text;
    const isup = `Content-Type: application/isup\r\nContent-Disposition: signal${handling}\r\n\r\n\x01\x10`;
    const parts = `--b\r\n${isup}\r\n--b\r\nContent-Type: application/sdp\r\n\r\n${body}\r\n--b--\r\n`;
    const fields = head
      .replace('application/sdp', 'multipart/mixed;boundary=b')
      .replace(/Content-Length: \d+/, `Content-Length: ${parts.length}`);
    return `${fields}\r\n\r\n${parts}`;
  };
}

/** The descriptions that each side of a call gets from INVITE, 183, 200, and from a re-INVITE and its 200. */
function descriptions(rewrite: (text: string) => string): Record<'alice' | 'bob', string[]> {
  const link = createMemoryLink({ rewrite });
  const alice = recordingListener();
  const early: string[] = [];
  const bob = recordingListener();
  link.bob.onInvite = (invite) => invite.listen(bob);
  const call = link.alice.ua.invite(
    { targets: [{ uri: 'sip:bob@10.0.0.2' }], from: '<sip:a@x>', to: '<sip:b@x>', content: sdp('offer') },
    { ...alice, ringing: (response) => early.push(`ringing ${response.body.trim()}`) },
  );
  link.clock.advance(20);
  link.bob.invites[0]!.ring(183, { content: sdp('early') });
  link.clock.advance(50);
  link.bob.invites[0]!.accept(sdp('early'));
  link.clock.advance(50);
  call.offer(sdp('next'));
  link.clock.advance(20);
  link.bob.invites[0]!.answerOffer(sdp('agreed'));
  link.clock.advance(50);
  call.hangUp();
  link.clock.advance(60_000);
  const lines = (log: readonly string[]) => log.map((line) => line.trim());
  return { alice: lines([...early, ...alice.log]), bob: lines(bob.log) };
}

test('RFC 5621 §3.1: a session in a multipart counts in responses as it does in requests', () => {
  const plain = descriptions((text) => text);
  assert.deepEqual(plain, {
    alice: ['ringing early', 'answered early', 'offer-answered agreed', 'ended local'],
    bob: ['acknowledged', 'offered next', 'acknowledged', 'ended remote-bye'],
  });
  assert.deepEqual(descriptions(asGateway(';handling=optional')), plain);
});

test('A part of unknown type in a response is ignored even if it is required: the peer has no response to a response', () => {
  assert.deepEqual(
    descriptions(asGateway('')),
    descriptions((text) => text),
  );
});

test('The answer in the ACK of an INVITE without offer may stand in a multipart', () => {
  const link = createMemoryLink({
    rewrite(text) {
      if (!text.startsWith('ACK ')) return text;
      const fields = text.trimEnd().replace('Content-Length: 0', 'Content-Length: 6');
      return asGateway('')(`${fields}\r\nContent-Type: application/sdp\r\n\r\nanswer`);
    },
  });
  const bob = recordingListener();
  link.bob.onInvite = (invite) => {
    invite.listen(bob);
    invite.accept(sdp('offer'));
  };
  link.alice.ua.invite(
    { targets: [{ uri: 'sip:bob@10.0.0.2' }], from: '<sip:a@x>', to: '<sip:b@x>', content: sdp('') },
    {},
  );
  link.clock.advance(100);
  assert.deepEqual(bob.log, ['acknowledged answer']);
});
