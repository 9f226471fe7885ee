import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mutatedText } from '@jackfield/testkit/mutated';
import fc from 'fast-check';
import { answerOffer } from './answer-offer.ts';
import { applyAnswer } from './apply-answer.ts';
import { opusCapability, pcmuCapability } from './codec-capability.ts';
import { createOffer } from './create-offer.ts';
import { parseSdp } from './parse-sdp.ts';

const folder = new URL('../corpus/', import.meta.url);
const seeds = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'latin1'));
const codecs = [opusCapability, pcmuCapability];
const ours = {
  codecs,
  address: '192.0.2.2',
  port: 5000,
  webrtc: {
    fragment: 'ours',
    password: 'a0b1c2d3e4f5g6h7i8j9k0',
    fingerprint: { hash: 'sha-256', value: 'AB:'.repeat(31).concat('AB') },
    candidates: [{ transport: 'udp', address: '192.0.2.2', port: 5000 }],
    stream: 'leg1',
  },
} as const;
const local = { sessionId: '7' };
const offered = createOffer({ ...ours, ...local });

const put = fc.constantFrom(
  ...['', '\r\n', ' ', ':', '\0', '0', '-1', '99999999999', 'x'.repeat(300), '\xff', '*', '{}'],
  ...[
    'a=ice-ufrag:',
    'a=ice-pwd:short',
    'a=fingerprint:sha-256 AB',
    'a=fingerprint:sha-1 ',
    'a=setup:',
    'a=mid:1 2',
  ],
  ...[
    'a=group:BUNDLE',
    'a=group:LS 0',
    'a=bundle-only\r\n',
    'a=ice-lite\r\n',
    'a=candidate:',
    'a=candidate:1 1 udp -1 x y typ',
  ],
  ...[
    'm=audio 9 UDP/TLS/RTP/SAVPF 0\r\n',
    'm=video 9 TCP/DTLS/RTP/SAVPF\r\n',
    'a=rtcp-mux\r\n',
    'a=msid:\r\n',
  ],
);
const mutated = mutatedText(fc.constantFrom(...seeds, offered), { put, cut: 30 });

test('any description of a browser gets an answer that parses, with credentials and a fingerprint where it is secured, or a problem', () => {
  fc.assert(
    fc.property(mutated, (text) => {
      const answered = answerOffer(text, ours, local);
      const applied = applyAnswer(offered, text, codecs);
      for (const result of [answered, applied]) {
        if ('problem' in result) continue;
        const { webrtc, remoteAddress } = result.agreed;
        if (webrtc === undefined) continue;
        assert.ok(webrtc.fragment.length >= 4 && webrtc.password.length >= 22);
        assert.ok(webrtc.fingerprints.length > 0);
        for (const { hash, value } of webrtc.fingerprints) {
          assert.match(hash, /^sha-(?:256|384|512)$/);
          assert.match(value, /^[0-9A-F]{2}(?::[0-9A-F]{2})+$/);
        }
        assert.equal(remoteAddress, '0.0.0.0');
      }
      if ('problem' in answered) return;
      const parsed = parseSdp(answered.answer);
      assert.ok('session' in parsed, answered.answer);
      const { media } = parsed.session;
      const secured = media.filter(({ transport }) => transport.ice !== undefined);
      assert.equal(secured.length, answered.agreed.webrtc === undefined ? 0 : 1);
      assert.ok(media.filter(({ port }) => port !== 0).length === 1);
    }),
    { numRuns: 3000 },
  );
});
