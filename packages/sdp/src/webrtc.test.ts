import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { answerOffer } from './answer-offer.ts';
import { applyAnswer } from './apply-answer.ts';
import { g722Capability, opusCapability, pcmaCapability, pcmuCapability } from './codec-capability.ts';
import { createOffer } from './create-offer.ts';
import type { MediaCapabilities } from './local-media.ts';
import { parseSdp } from './parse-sdp.ts';
import type { LocalTransport } from './webrtc.ts';

const codecs = [opusCapability, pcmuCapability, pcmaCapability, g722Capability];
const fingerprint = { hash: 'sha-256', value: Array.from({ length: 32 }, () => 'AB').join(':') };
const webrtc: LocalTransport = {
  fragment: 'ours',
  password: 'a0b1c2d3e4f5g6h7i8j9k0',
  fingerprint,
  candidates: [
    { transport: 'udp', address: '192.0.2.2', port: 5000 },
    { transport: 'udp', address: '2001:db8::2', port: 5000 },
    { transport: 'tcp', address: '192.0.2.2', port: 5000 },
  ],
  stream: 'leg1',
};
const ours: MediaCapabilities = { codecs, address: '192.0.2.2', port: 5000, webrtc };
const local = { sessionId: '7' };
const theirs =
  '8B:87:09:8A:5D:C2:F3:33:EF:C5:B1:F6:84:3A:3D:D6:A3:E2:9C:17:4C:E7:46:3B:1B:CE:84:98:DD:8E:AF:7B';

function offer(name: string): string {
  return readFileSync(new URL(`../corpus/offer-${name}.sdp`, import.meta.url), 'latin1');
}

function answered(text: string, capabilities: MediaCapabilities = ours) {
  const result = answerOffer(text, capabilities, local);
  assert.ok('agreed' in result, JSON.stringify(result));
  return result;
}

function problemOf(text: string): string | undefined {
  const result = answerOffer(text, ours, local);
  return 'problem' in result ? result.problem : undefined;
}

const linesOf = (text: string) => text.split('\r\n');

describe('an offer of a browser', () => {
  for (const [name, fragment, password, codec, events] of [
    ['chromium', '4ZcD', '2/1muCWoOi3uLifh0NuRHlVe', 111, 110],
    ['chromium-video', '4ZcD', '2/1muCWoOi3uLifh0NuRHlVe', 111, 110],
    ['firefox', 'a1b2c3d4', '2f3d9a4c5b6e7f8091a2b3c4d5e6f708', 109, 101],
    ['safari', 'ETEn', 'OtSK0WpNtpUjkY4+86js7ZQl', 111, 110],
    ['hosted-sdk', '4ZcD', '2/1muCWoOi3uLifh0NuRHlVe', 111, undefined],
  ] as const) {
    it(`${name}: is answered with Opus both ways, and its credentials and fingerprint are agreed on`, () => {
      const { answer, agreed } = answered(offer(name));
      assert.deepEqual(agreed.webrtc, {
        fragment,
        password,
        fingerprints: [{ hash: 'sha-256', value: theirs }],
      });
      assert.deepEqual([agreed.codec.name, agreed.payloadType], ['opus', codec]);
      assert.equal(agreed.telephoneEventPayloadType, events);
      assert.deepEqual([agreed.direction, agreed.isHeldByRemote, agreed.rtcpMux], ['sendrecv', false, true]);
      assert.equal(agreed.crypto, undefined);
      const parsed = parseSdp(answer);
      assert.ok('session' in parsed);
      const lines = offer(name)
        .split('\r\n')
        .filter((line) => line.startsWith('m='));
      assert.equal(parsed.session.media.length, lines.length);
      assert.ok(!answer.includes(`a=fmtp:${events}`));
    });
  }

  it('gets one BUNDLE group, an ICE-lite agent that is the DTLS server, and all candidates', () => {
    const { answer } = answered(offer('chromium'));
    assert.deepEqual(
      linesOf(answer).filter((line) => !line.startsWith('a=rtpmap')),
      [
        'v=0',
        'o=- 7 0 IN IP4 192.0.2.2',
        's=-',
        'c=IN IP4 192.0.2.2',
        't=0 0',
        'a=group:BUNDLE 0',
        'a=ice-lite',
        'm=audio 5000 UDP/TLS/RTP/SAVPF 111 110',
        'a=mid:0',
        'a=ice-ufrag:ours',
        'a=ice-pwd:a0b1c2d3e4f5g6h7i8j9k0',
        `a=fingerprint:sha-256 ${fingerprint.value}`,
        'a=setup:passive',
        'a=msid:leg1 audio',
        'a=candidate:1 1 udp 2130706431 192.0.2.2 5000 typ host',
        'a=candidate:2 1 udp 2130706175 2001:db8::2 5000 typ host',
        'a=candidate:3 1 tcp 1520434687 192.0.2.2 5000 typ host tcptype passive',
        'a=end-of-candidates',
        'a=fmtp:111 maxplaybackrate=48000;stereo=0;useinbandfec=1',
        'a=ptime:20',
        'a=sendrecv',
        'a=rtcp-mux',
        '',
      ],
    );
  });

  it('RFC 9143 §7.3: a line that is refused keeps its mid and leaves the group', () => {
    const lines = linesOf(answered(offer('chromium-video')).answer);
    assert.ok(lines.includes('a=group:BUNDLE 0'));
    assert.deepEqual(lines.slice(lines.indexOf('m=video 0 UDP/TLS/RTP/SAVPF 96 97')), [
      'm=video 0 UDP/TLS/RTP/SAVPF 96 97',
      'a=mid:1',
      '',
    ]);
  });

  it('without BUNDLE gets none, and audio that is only in the bundle is accepted', () => {
    const without = offer('chromium').replace('a=group:BUNDLE 0\r\n', '');
    assert.ok(!answered(without).answer.includes('a=group'));
    const bundled = offer('chromium')
      .replace('m=audio 52341', 'm=audio 0')
      .replace('a=mid:0', 'a=mid:0\r\na=bundle-only');
    assert.match(answered(bundled).answer, /m=audio 5000/);
    assert.equal(problemOf(offer('chromium').replace('m=audio 52341', 'm=audio 0')), 'no-audio');
  });

  it('puts the call on hold by its direction alone: an address of zeros means that it has none yet', () => {
    const held = answered(offer('firefox').replaceAll('a=sendrecv', 'a=sendonly')).agreed;
    assert.deepEqual([held.direction, held.isHeldByRemote], ['recvonly', true]);
  });

  for (const [what, edit, problem] of [
    ['ICE-lite', (text: string) => text.replace('a=mid:0', 'a=mid:0\r\na=ice-lite'), 'unsupported-transport'],
    ['a DTLS server', (text: string) => text.replace('actpass', 'passive'), 'unsupported-transport'],
    [
      'RTCP on a port of its own',
      (text: string) => text.replace('a=rtcp-mux\r\n', ''),
      'unsupported-transport',
    ],
    ['no ICE', (text: string) => text.replace(/a=ice-ufrag.*\r\n/, ''), 'unsupported-transport'],
    [
      'a password of 21 letters',
      (text: string) => text.replace(/a=ice-pwd:\S*/, `a=ice-pwd:${'x'.repeat(21)}`),
      'unsupported-transport',
    ],
    ['no fingerprint', (text: string) => text.replace(/a=fingerprint.*\r\n/, ''), 'no-common-crypto'],
    ['a broken hash alone', (text: string) => text.replace('sha-256', 'md5'), 'no-common-crypto'],
  ] as const) {
    it(`with ${what} is refused as ${problem}`, () =>
      assert.equal(problemOf(edit(offer('chromium'))), problem));
  }

  it('is refused where there is no WebRTC, and RTP/AVP is answered beside it', () => {
    const { webrtc: _, ...clear } = ours;
    const result = answerOffer(offer('chromium'), clear, local);
    assert.ok('problem' in result && result.problem === 'unsupported-transport');
    const phone = offer('chromium').replace('UDP/TLS/RTP/SAVPF', 'RTP/AVP');
    const { answer, agreed } = answered(phone);
    assert.equal(agreed.webrtc, undefined);
    assert.doesNotMatch(answer, /ice|fingerprint|BUNDLE|mid/);
  });

  it('has one or more fingerprints in the session or in the line, and those of the line take precedence', () => {
    const other = theirs.replaceAll('8B', '00');
    const text = offer('firefox').replace(
      'a=mid:0',
      `a=fingerprint:SHA-384 ${theirs}:AA\r\na=fingerprint:sha-256 ${other}\r\na=mid:0`,
    );
    assert.deepEqual(
      answered(text).agreed.webrtc?.fingerprints.map(({ hash, value }) => [hash, value.slice(0, 5)]),
      [
        ['sha-384', '8B:87'],
        ['sha-256', '00:87'],
      ],
    );
  });
});

describe('an offer to a browser', () => {
  const text = createOffer({ ...ours, ...local });
  const answer = (setup: string, more = '') =>
    text
      .replaceAll(/a=candidate.*\r\n|a=ice-lite\r\n|a=end-of-candidates\r\n/g, '')
      .replace('a=setup:actpass', `a=setup:${setup}`)
      .replace('a=ice-ufrag:ours', 'a=ice-ufrag:theirs')
      .concat(more);

  it('leaves the DTLS role to it, has one bundled line, and no fmtp of events', () => {
    const lines = linesOf(text);
    for (const line of ['a=setup:actpass', 'a=group:BUNDLE 0', 'a=mid:0', 'a=ice-lite', 'a=rtcp-mux']) {
      assert.ok(lines.includes(line), line);
    }
    assert.match(text, /m=audio 5000 UDP\/TLS\/RTP\/SAVPF 111 0 8 9 /);
    assert.match(text, /telephone-event\/48000/);
    assert.doesNotMatch(text, /crypto|extmap|rtcp-fb|0-15/);
  });

  it('is agreed on when the browser is the DTLS client', () => {
    const result = applyAnswer(text, answer('active'), codecs);
    assert.ok('agreed' in result, JSON.stringify(result));
    assert.equal(result.agreed.webrtc?.fragment, 'theirs');
    assert.deepEqual(result.agreed.webrtc?.fingerprints, [fingerprint]);
  });

  it('is not agreed on when it chooses to be the server, leaves the choice, or has no fingerprint', () => {
    for (const [from, problem] of [
      [answer('passive'), 'unsupported-transport'],
      [answer('actpass'), 'unsupported-transport'],
      [answer('active').replace(/a=fingerprint.*\r\n/, ''), 'no-common-crypto'],
      [answer('active').replace('UDP/TLS/RTP/SAVPF', 'RTP/SAVPF'), 'unsupported-transport'],
    ] as const) {
      assert.deepEqual(applyAnswer(text, from, codecs), { problem });
    }
  });

  it('later in the call keeps the mid and the payload types, and has new credentials for an ICE restart', () => {
    const { answer: previous } = answered(offer('safari'));
    const again = createOffer({ ...ours, ...local, webrtc: { ...webrtc, fragment: 'new1' }, previous });
    for (const line of [
      'a=mid:audio',
      'a=group:BUNDLE audio',
      'a=ice-ufrag:new1',
      'o=- 7 1 IN IP4 192.0.2.2',
    ]) {
      assert.ok(linesOf(again).includes(line), line);
    }
  });
});
