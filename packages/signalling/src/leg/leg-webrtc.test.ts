import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Protocol, SipRequest } from '@jackfield/sip';
import { readOffer } from './invite-offer.ts';
import {
  isAnswerable,
  type LegAudio,
  makeAnswer,
  makeOffer,
  newLegAudio,
  takeAnswer,
  withoutWebrtc,
  withPort,
} from './leg-audio.ts';
import { legMachine } from './leg-machine.ts';
import { noSrtp } from './leg-srtp.ts';
import type { LegState } from './leg-state.ts';
import {
  type BrowserCodec,
  lacksIce,
  mayAnswerWebrtc,
  mayOfferWebrtc,
  newIce,
  newLegWebrtc,
  offersWebrtc,
  withNextIce,
} from './leg-webrtc.ts';

const corpus = new URL('../../../sdp/corpus/', import.meta.url);
const offerOf = (name: string) => readFileSync(new URL(`offer-${name}.sdp`, corpus), 'latin1');
const value = Array.from({ length: 32 }, () => 'AB').join(':');
const opened = {
  port: 41_000,
  webrtc: { fingerprint: { hash: 'sha-256', value }, takesTcp: true },
} as const;

let serial = 0;
const draw = () => newIce((count) => new Uint8Array(count).fill(++serial));

function audio(): LegAudio {
  const fresh = newLegAudio({
    address: '192.0.2.1',
    sessionId: '1',
    srtp: noSrtp,
    webrtc: newLegWebrtc(draw),
  });
  return withPort(fresh, opened);
}

const attribute = (text: string, name: string) => new RegExp(`^a=${name}:(.*?)\\r$`, 'm').exec(text)?.[1];

describe('WebRTC of a leg', () => {
  it('an offer of a browser is answered with our port over UDP and TCP, and the keys come from the agreed certificate', () => {
    const before = audio();
    const offer = offerOf('chromium');
    assert.ok(offersWebrtc(readOffer(offer)) && isAnswerable(readOffer(offer), noSrtp, before.webrtc));
    const answer = makeAnswer(before, offer)!;
    assert.match(answer.description, /^m=audio 41000 UDP\/TLS\/RTP\/SAVPF 111 /m);
    assert.match(answer.description, /^a=setup:passive\r$/m);
    assert.match(answer.description, /^a=candidate:1 1 udp \d+ 192\.0\.2\.1 41000 typ host\r$/m);
    assert.match(answer.description, /^a=candidate:2 1 tcp \d+ 192\.0\.2\.1 41000 typ host tcptype passive/m);
    assert.equal(attribute(answer.description, 'ice-ufrag'), before.webrtc!.ice.fragment);
    assert.equal(attribute(answer.description, 'fingerprint'), `sha-256 ${value}`);
    const { protection } = answer.connect!;
    assert.ok(protection?.by === 'dtls');
    assert.deepEqual(protection.ice, before.webrtc!.ice);
    assert.equal(protection.fingerprints.length, 1);
  });

  it('a server with an IPv6 address offers it as its candidate, over UDP and TCP', () => {
    const fresh = newLegAudio({
      address: '2001:db8::7',
      sessionId: '1',
      srtp: noSrtp,
      webrtc: newLegWebrtc(draw),
    });
    const { description } = makeOffer(withPort(fresh, opened));
    assert.match(description, /^c=IN IP6 2001:db8::7\r$/m);
    assert.match(description, /^a=candidate:1 1 udp \d+ 2001:db8::7 41000 typ host\r$/m);
    assert.match(description, /^a=candidate:2 1 tcp \d+ 2001:db8::7 41000 typ host tcptype passive/m);
    const answer = makeAnswer(withPort(fresh, opened), offerOf('chromium'))!;
    assert.match(answer.description, /^a=candidate:1 1 udp \d+ 2001:db8::7 41000 typ host\r$/m);
  });

  it('the operator orders the codecs of offers and answers alike; a codec that is not named is not accepted', () => {
    const named = (codecs: readonly BrowserCodec[]): LegAudio =>
      withPort(
        newLegAudio({
          address: '192.0.2.1',
          sessionId: '1',
          srtp: noSrtp,
          webrtc: newLegWebrtc(draw, codecs),
        }),
        opened,
      );
    const formats = (sdp: string) =>
      / SAVPF? (.+?)\r$/m.exec(sdp.replace('UDP/TLS/RTP/', ' '))?.[1]?.split(' ');
    const answerOf = (codecs: readonly BrowserCodec[]) => makeAnswer(named(codecs), offerOf('chromium'));
    assert.equal(makeAnswer(audio(), offerOf('chromium'))!.connect!.codec, 'opus');
    assert.equal(answerOf(['PCMU', 'opus'])!.connect!.codec, 'PCMU');
    assert.deepEqual(formats(answerOf(['PCMU', 'opus'])!.description)!.slice(0, 1), ['0']);
    assert.equal(answerOf(['PCMA'])!.connect!.codec, 'PCMA');
    assert.deepEqual(formats(makeOffer(audio()).description)!.slice(0, 4), ['111', '0', '8', '9']);
    assert.deepEqual(formats(makeOffer(named(['PCMA', 'opus'])).description)!.slice(0, 2), ['8', '111']);
  });

  it('is refused to a leg without it, and a leg with it refuses plain RTP and keys in SDP', () => {
    const offer = offerOf('chromium');
    assert.equal(isAnswerable(readOffer(offer), noSrtp), false);
    const plain = offer
      .replace('UDP/TLS/RTP/SAVPF', 'RTP/AVP')
      .replace('c=IN IP4 0.0.0.0', 'c=IN IP4 192.0.2.9');
    assert.equal(offersWebrtc(readOffer(plain)), false);
    assert.equal(makeAnswer(audio(), plain), undefined);
  });

  it('RFC 8839 §4.4.1.1.1: a restart of the browser is answered with new credentials, a repeated offer with the same', () => {
    const first = makeAnswer(audio(), offerOf('chromium'))!;
    const again = makeAnswer(first.audio, offerOf('chromium'))!;
    assert.equal(attribute(again.description, 'ice-ufrag'), attribute(first.description, 'ice-ufrag'));
    const restart = offerOf('chromium').replace(/^a=ice-ufrag:.*$/m, 'a=ice-ufrag:NEWx');
    const moved = makeAnswer(again.audio, restart)!;
    assert.notEqual(attribute(moved.description, 'ice-ufrag'), attribute(first.description, 'ice-ufrag'));
    assert.notEqual(attribute(moved.description, 'ice-pwd'), attribute(first.description, 'ice-pwd'));
    assert.ok(lacksIce(moved.audio.webrtc));
    assert.ok(!lacksIce(withNextIce(moved.audio.webrtc!, draw())));
    assert.ok(moved.connect?.protection?.by === 'dtls');
    assert.equal(moved.connect.protection.ice.fragment, attribute(moved.description, 'ice-ufrag'));
  });

  it('our offer leaves the role of the handshake to the browser, and its answer names the certificate', () => {
    const { audio: offered, description } = makeOffer(audio());
    assert.match(description, /^m=audio 41000 UDP\/TLS\/RTP\/SAVPF /m);
    assert.match(description, /^a=setup:actpass\r$/m);
    assert.doesNotMatch(description, /a=crypto/);
    const answer = description
      .replace('a=ice-lite\r\n', '')
      .replace('a=setup:actpass', 'a=setup:active')
      .replace(/a=ice-ufrag:.*/, 'a=ice-ufrag:them');
    const agreed = takeAnswer(offered, answer)!;
    assert.deepEqual(agreed.connect!.protection, {
      by: 'dtls',
      fingerprints: [{ hash: 'sha-256', value }],
      ice: offered.webrtc!.ice,
    });
  });

  it('after 488 the call is dialled once more without WebRTC, on its own port', () => {
    const { audio: offered, description } = makeOffer(audio());
    assert.equal(withoutWebrtc(offered, 486), undefined);
    const dialling: LegState = {
      phase: 'dialling',
      audio: offered,
      isHungUp: false,
      answers: {
        offer: description,
        answers: new Map(),
        offers: new Map(),
        last: undefined,
        playing: undefined,
      },
    };
    const end = { by: 'rejected', sipStatus: 488 } as const;
    const refused = legMachine.step(dialling, { type: 'dialog-ended', end, status: 488 }, 0);
    assert.deepEqual(refused.effects, [{ do: 'open-port' }]);
    assert.equal(refused.state.phase, 'preparing');
    const again = legMachine.step(refused.state, { type: 'port-opened', opened: { port: 40_002 } }, 0);
    const [invite] = again.effects;
    assert.ok(invite?.do === 'invite');
    assert.match(invite.offer, /^m=audio 40002 RTP\/AVP /m);
  });

  it('is for encrypted signalling, for this machine, and for other unencrypted WebSockets only if the operator allows it', () => {
    const flows: Readonly<Record<string, Protocol>> = { near: 'ws', far: 'ws', safe: 'wss', phone: 'tls' };
    const addresses: Readonly<Record<string, string>> = { near: '127.0.0.1' };
    const protocolOf = (flow: string) => flows[flow];
    const remoteAddressOf = (flow: string) => addresses[flow] ?? '192.0.2.7';
    const request = { headers: { get: () => undefined } } as unknown as SipRequest;
    for (const [flow, secure, any] of [
      ['near', true, true],
      ['far', false, true],
      ['safe', true, true],
      ['phone', false, false],
      ['closed', false, false],
    ] as const) {
      for (const [overPlain, isMeant] of [
        [false, secure],
        [true, any],
      ] as const) {
        const options = { overPlain, remoteAddressOf };
        const incoming = { flow, request, sourceAddress: remoteAddressOf(flow) };
        assert.equal(mayAnswerWebrtc(incoming, options, protocolOf), isMeant, flow);
        assert.equal(mayOfferWebrtc(flow, options, protocolOf), isMeant, flow);
      }
      const incoming = { flow, request, sourceAddress: '127.0.0.1' };
      assert.equal(mayAnswerWebrtc(incoming, undefined, protocolOf), false);
    }
  });
});
