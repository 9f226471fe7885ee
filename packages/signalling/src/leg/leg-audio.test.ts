import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHeaders, type SipRequest } from '@jackfield/sip';
import { legAudioWorld } from '../testing/leg-audio-world.ts';

function sdp(payloads: string, attributes: readonly string[], direction = 'sendrecv'): string {
  return [
    'v=0',
    'o=- 1 1 IN IP4 198.51.100.7',
    's=-',
    'c=IN IP4 198.51.100.7',
    't=0 0',
    `m=audio 5004 RTP/AVP ${payloads}`,
    ...attributes.map((attribute) => `a=${attribute}`),
    `a=${direction}`,
    '',
  ].join('\r\n');
}

test('RFC 3264 §5.1: an answer with one codec and its own numbers narrows what we send, not what we offered to receive', () => {
  const { media, connected } = legAudioWorld();
  const offered = media.offer();
  const answer = sdp('8 96', ['rtpmap:8 PCMA/8000', 'rtpmap:96 telephone-event/8000']);
  assert.equal(media.takeAnswer(answer), true);
  const { codec, payloadType, telephoneEventPayloadType, receive, receiveTelephoneEventPayloadType } =
    connected[0]!;
  assert.deepEqual([codec, payloadType, telephoneEventPayloadType], ['PCMA', 8, 96]);
  assert.deepEqual(receive, [
    { payloadType: 0, codec: 'PCMU' },
    { payloadType: 8, codec: 'PCMA' },
  ]);
  const ours = /a=rtpmap:(\d+) telephone-event/.exec(offered)![1];
  assert.equal(receiveTelephoneEventPayloadType, Number(ours));
});

test('a re-INVITE that holds and the next that resumes connect the leg anew with our direction', () => {
  const { media, connected } = legAudioWorld();
  for (const theirs of ['sendrecv', 'sendonly', 'inactive', 'sendrecv']) {
    assert.notEqual(media.answer(sdp('0', ['rtpmap:0 PCMU/8000'], theirs)), undefined);
  }
  assert.deepEqual(
    connected.map(({ direction }) => direction),
    ['sendrecv', 'recvonly', 'inactive', 'sendrecv'],
  );
});

test('a phone behind NAT: the leg is connected with the addresses that its signalling came from', () => {
  const { media, connected } = legAudioWorld();
  const invite = (sourceAddress: string, tag: string, via: string): SipRequest => ({
    kind: 'request',
    method: 'INVITE',
    uri: 'sip:bob@example.com',
    headers: createHeaders([
      ['Via', via],
      ['From', `<sip:alice@example.com>;tag=${tag}`],
      ['Contact', '<sip:alice@[2001:DB8:0::1]:5060>'],
    ]),
    body: '',
    sourceAddress,
  });
  const direct = 'SIP/2.0/UDP 10.0.0.7:5060;branch=z9hG4bK1;received=203.0.113.9';
  media.cameFrom(invite('203.0.113.9', 'a', direct));
  media.answer(sdp('0', ['rtpmap:0 PCMU/8000']));
  media.cameFrom(invite('192.0.2.50', 'a', `SIP/2.0/UDP 192.0.2.50;branch=z9hG4bK2, ${direct}`));
  media.answer(sdp('0', ['rtpmap:0 PCMU/8000']));
  media.cameFrom(invite('192.0.2.60', 'b', 'SIP/2.0/UDP proxy.example.com;branch=z9hG4bK3'));
  media.answer(sdp('0', ['rtpmap:0 PCMU/8000']));
  assert.deepEqual(
    connected.map(({ signalledFrom }) => signalledFrom),
    [
      ['203.0.113.9', '2001:db8::1'],
      ['203.0.113.9', '2001:db8::1', '192.0.2.50'],
      // Another phone of a forked call: the addresses of the first one do not apply to it.
      ['192.0.2.60', '2001:db8::1'],
    ],
  );
});
