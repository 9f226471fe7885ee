import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgreedMedia } from '@jackfield/ports';
import type { Protocol } from '@jackfield/sip';
import { edgeWorld, phoneAt } from '../testing/edge-world.ts';
import { legAudioWorld } from '../testing/leg-audio-world.ts';
import { readOffer } from './invite-offer.ts';
import { isAnswerable } from './leg-audio.ts';
import { dialledSrtp, incomingSrtp, type SrtpPolicy } from './leg-srtp.ts';
import { cameInPrivate, isReachedInPrivate } from './private-signalling.ts';

const theirKey = 'PS1uQCVeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR4';
const theirs = (tag: number, suite = 'AES_CM_128_HMAC_SHA1_80', key = theirKey) =>
  `crypto:${tag} ${suite} inline:${key}|2^31`;
const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));

function sdp(
  profile: string,
  attributes: readonly string[],
  more: { port?: number; payloads?: string } = {},
) {
  const { port = 5004, payloads = '0' } = more;
  return [
    'v=0',
    'o=- 1 1 IN IP4 198.51.100.7',
    's=-',
    'c=IN IP4 198.51.100.7',
    't=0 0',
    `m=audio ${port} ${profile} ${payloads}`,
    ...attributes.map((attribute) => `a=${attribute}`),
    '',
  ].join('\r\n');
}

const tlsPhone = { uri: 'sip:bob@10.0.0.2;transport=tls' };
const overTls = [tlsPhone];
const profileOf = (description: string) => /^m=audio \d+ (\S+)/m.exec(description)?.[1];
const keysOf = ({ protection }: AgreedMedia) => (protection?.by === 'sdes' ? protection : undefined);
const keysIn = (description: string) => description.match(/^a=crypto.*$/gm) ?? [];

describe('SRTP of an incoming leg', () => {
  it('RFC 4568 §9: keys in unencrypted signalling are ignored: SAVP is refused, AVP is answered without SRTP', async () => {
    const crypto = incomingSrtp('offer', false);
    assert.equal(isAnswerable(readOffer(sdp('RTP/SAVP', [theirs(1)])), crypto), false);
    const { media, connected } = legAudioWorld(crypto);
    assert.equal(keysIn(media.answer(sdp('RTP/AVP', [theirs(1)]))!).length, 0);
    assert.equal(connected[0]!.protection, undefined);
  });

  it('over TLS both profiles are answered with a key of our own; `require` refuses offers without keys, `off` ignores keys', async () => {
    const clear = sdp('RTP/AVP', []);
    for (const profile of ['RTP/SAVP', 'RTP/SAVPF', 'RTP/AVP']) {
      const { media, connected } = legAudioWorld(incomingSrtp('offer', true));
      const answer = media.answer(sdp(profile, [theirs(7)]))!;
      assert.equal(profileOf(answer), profile);
      assert.match(keysIn(answer).join(), /^a=crypto:7 AES_CM_128_HMAC_SHA1_80 inline:\S{40}$/);
      const { suite, receiveKey, sendKey } = keysOf(connected[0]!)!;
      assert.deepEqual([suite, receiveKey], ['AES_CM_128_HMAC_SHA1_80', bytes(theirKey)]);
      assert.deepEqual(sendKey, new Uint8Array(30).fill(1));
      assert.equal(isAnswerable(readOffer(clear), incomingSrtp('offer', true)), true);
      assert.equal(isAnswerable(readOffer(clear), incomingSrtp('require', true)), false);
      assert.equal(isAnswerable(readOffer(clear), incomingSrtp('require', false)), true);
    }
    assert.equal(isAnswerable(readOffer(sdp('RTP/SAVP', [theirs(1)])), incomingSrtp('off', true)), false);
  });

  it('signalling through a proxy that ends TLS is private when the Via of the phone says WSS', () => {
    const from = (protocol: Protocol, via: string) =>
      cameInPrivate(
        { flow: 'f', request: { headers: { get: () => `SIP/2.0/${via} h;branch=z9hG4bK1` } } as never },
        () => protocol,
      );
    assert.deepEqual(
      [from('tls', 'TLS'), from('wss', 'WSS'), from('ws', 'WSS'), from('ws', 'WS'), from('udp', 'TLS')],
      [true, true, true, false, false],
    );
  });

  it('a re-INVITE keeps our key and applies the key of the peer, the old or a new one, at any address', async () => {
    const { media, connected } = legAudioWorld(incomingSrtp('offer', true));
    const first = media.answer(sdp('RTP/SAVP', [theirs(1)]))!;
    const newKey = `A${theirKey.slice(1)}`;
    media.answer(sdp('RTP/SAVP', [theirs(1), 'sendonly'], { port: 6000 }));
    const moved = media.answer(sdp('RTP/SAVP', [theirs(2, undefined, newKey)], { port: 6000 }))!;
    assert.equal(keysIn(moved)[0]?.split('inline:')[1], keysIn(first)[0]?.split('inline:')[1]);
    assert.deepEqual(
      connected.map((agreed) => [agreed.port, keysOf(agreed)?.receiveKey[0]]),
      [
        [5004, bytes(theirKey)[0]],
        [6000, bytes(theirKey)[0]],
        [6000, bytes(newKey)[0]],
      ],
    );
    assert.equal(new Set(connected.map((agreed) => String(keysOf(agreed)?.sendKey))).size, 1);
  });

  it('RFC 3711 §9.1: a key that was abandoned, for plain RTP or another suite, is never used again', async () => {
    const { media } = legAudioWorld(incomingSrtp('offer', true));
    const keyFor = (offer: string) => keysIn(media.answer(offer)!)[0]?.split('inline:')[1];
    const secured = sdp('RTP/AVP', [theirs(1)]);
    const first = keyFor(secured);
    assert.equal(keyFor(secured), first);
    assert.equal(keyFor(sdp('RTP/AVP', [])), undefined);
    const second = keyFor(secured);
    assert.notEqual(second, first);
    const other = keyFor(sdp('RTP/AVP', [theirs(1, 'AES_CM_128_HMAC_SHA1_32')]));
    assert.ok(other !== first && other !== second);
    assert.ok(![first, second, other].includes(keyFor(secured)));
  });

  it('an INVITE without an offer gets optional SRTP; later offers have the profile and codec in use', async () => {
    const { media, connected } = legAudioWorld(incomingSrtp('offer', true));
    const first = media.offer();
    assert.deepEqual([profileOf(first), keysIn(first).length], ['RTP/AVP', 5]);
    assert.equal(media.takeAnswer(sdp('RTP/AVP', [theirs(1)], { payloads: '9' })), true);
    assert.equal(connected[0]!.codec, 'G722');
    const second = media.offer();
    assert.match(second, /^m=audio 40000 RTP\/AVP 9 0 8 111/m);
    assert.deepEqual(keysIn(second), keysIn(first));
    const { media: demanding } = legAudioWorld(incomingSrtp('require', true));
    assert.equal(profileOf(demanding.offer()), 'RTP/SAVP');
  });
});

describe('SRTP of a dialled leg', () => {
  it('is offered only when every target is reached over TLS', async () => {
    for (const [targets, profile] of [
      [overTls, 'RTP/SAVP'],
      [[{ uri: 'sips:bob@example.com' }], 'RTP/SAVP'],
      [[...overTls, { uri: 'sip:bob@10.0.0.3' }], 'RTP/AVP'],
      [[{ uri: 'sip:bob@10.0.0.3;transport=tcp' }], 'RTP/AVP'],
      // Only the first hop counts, and all flows of a phone get the same description.
      [[{ uri: 'sips:bob@example.com', flow: '', path: ['<sip:10.0.0.3;lr>'] }], 'RTP/AVP'],
      [[{ uri: 'sip:bob@10.0.0.3', flow: '', path: ['<sip:10.0.0.3;transport=tls;lr>'] }], 'RTP/SAVP'],
      [[{ ...tlsPhone, otherFlows: [{ uri: 'sip:bob@10.0.0.3' }] }], 'RTP/AVP'],
      [[{ ...tlsPhone, otherFlows: overTls }], 'RTP/SAVP'],
    ] as const) {
      const isPrivate = targets.every((target) => isReachedInPrivate(target, () => undefined));
      const { media } = legAudioWorld(dialledSrtp('offer', isPrivate));
      const offer = media.offer();
      assert.equal(profileOf(offer), profile);
      assert.equal(keysIn(offer).length, profile === 'RTP/SAVP' ? 5 : 0);
    }
    for (const [protocol, isSecure] of [
      ['tls', true],
      ['wss', true],
      ['ws', false],
      ['udp', false],
    ] as const) {
      const target = { uri: 'sip:bob@10.0.0.2;transport=tls', flow: 'f' };
      const isPrivate = isReachedInPrivate(target, () => protocol);
      assert.equal(
        profileOf(legAudioWorld(dialledSrtp('offer', isPrivate)).media.offer()),
        isSecure ? 'RTP/SAVP' : 'RTP/AVP',
      );
    }
  });

  it('RFC 3711 §9.1: early media of a phone that does not answer costs our key: a later offer has a new one', async () => {
    const crypto = dialledSrtp('offer', true);
    const { media } = legAudioWorld(crypto);
    const first = media.offer();
    assert.equal(media.preview(first, sdp('RTP/SAVP', [theirs(1)])), true);
    assert.equal(media.takeAnswer(sdp('RTP/SAVP', [])), true);
    assert.notEqual(keysIn(media.offer())[0], keysIn(first)[0]);
  });

  it('an answer without a key means plain RTP, and is refused where SRTP is required', async () => {
    for (const profile of ['RTP/SAVP', 'RTP/AVP']) {
      const crypto = dialledSrtp('offer', true);
      const { media, connected } = legAudioWorld(crypto);
      media.offer();
      assert.equal(media.takeAnswer(sdp(profile, [])), true);
      assert.equal(connected[0]!.protection, undefined);
    }
    const crypto = dialledSrtp('require', true);
    const { media, connected } = legAudioWorld(crypto);
    media.offer();
    assert.equal(media.takeAnswer(sdp('RTP/SAVP', [])), false);
    assert.equal(media.takeAnswer(sdp('RTP/AVP', [])), false);
    assert.equal(media.takeAnswer(sdp('RTP/SAVP', [theirs(2, 'AES_CM_128_HMAC_SHA1_32')])), true);
    assert.equal(keysOf(connected[0]!)?.suite, 'AES_CM_128_HMAC_SHA1_32');
    assert.equal(media.downgrade(488), undefined);
  });
});

/** An edge that dials a phone over TLS; the phone refuses every description except one without SRTP. */
async function dialling(policy: SrtpPolicy, status: number) {
  const world = await edgeWorld(
    { srtp: policy },
    {
      at: { address: phoneAt.address, port: 5061 },
      invited(invite) {
        if (profileOf(invite.request.body) !== 'RTP/AVP') invite.reject(status);
        else invite.accept({ body: sdp('RTP/AVP', []), contentType: 'application/sdp' });
      },
    },
  );
  world.dial({ targets: [{ uri: `sip:bob@${phoneAt.address};transport=tls` }] });
  await world.clock.advance(200);
  return { ...world, connected: world.media.connected };
}

describe('a phone on TLS without SRTP', () => {
  for (const status of [415, 488, 606]) {
    it(`refuses with ${status}, is called again with RTP/AVP, and talks without SRTP: one leg, answered once`, async () => {
      const { clock, edge, notices, invites, connected, log } = await dialling('offer', status);
      assert.deepEqual(
        invites.map(({ request }) => profileOf(request.body)),
        ['RTP/SAVP', 'RTP/AVP'],
      );
      // RFC 8643: a phone that supports SRTP may still use it.
      assert.equal(keysIn(invites[1]!.request.body).length, 5);
      assert.deepEqual(notices, [{ type: 'leg-answered', leg: 'leg-1' }]);
      assert.deepEqual(
        connected.map(({ protection }) => protection),
        [undefined],
      );
      edge.telephony.hangUp('leg-1');
      // The dialogs of both INVITEs end with their transactions.
      await clock.advance(40_000);
      assert.deepEqual(
        notices.map(({ type }) => type),
        ['leg-answered', 'leg-ended'],
      );
      assert.deepEqual([edge.census().legs, edge.census().dialogs, edge.census().timers], [0, 0, 0]);
      const written = JSON.stringify(log.lines);
      for (const { request } of invites) {
        for (const line of keysIn(request.body)) assert.ok(!written.includes(line.split('inline:')[1]!));
      }
    });
  }

  it('is not called again for another refusal, nor where SRTP is required', async () => {
    for (const [policy, status] of [
      ['offer', 486],
      ['require', 488],
    ] as const) {
      const { notices, invites } = await dialling(policy, status);
      assert.equal(invites.length, 1);
      assert.equal(notices[0]?.type === 'leg-ended' && notices[0].end.sipStatus, status);
    }
  });

  it('is called with RTP/AVP and no keys at once where SRTP is off', async () => {
    const { invites } = await dialling('off', 488);
    assert.deepEqual(
      invites.map(({ request }) => [profileOf(request.body), keysIn(request.body).length]),
      [['RTP/AVP', 0]],
    );
  });
});
