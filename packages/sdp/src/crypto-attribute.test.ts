import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { answerOffer } from './answer-offer.ts';
import { applyAnswer } from './apply-answer.ts';
import { pcmaCapability, pcmuCapability } from './codec-capability.ts';
import { createOffer } from './create-offer.ts';
import { parseCrypto } from './crypto-attribute.ts';
import { parseSdp } from './parse-sdp.ts';

const theirKey = 'PS1uQCVeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR4';
const ourKey = 'd0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj';
const key256 = `${'A'.repeat(61)}Q==`;
const codecs = [pcmuCapability, pcmaCapability];
const keys = [
  { suite: 'AES_CM_128_HMAC_SHA1_80', keyAndSalt: ourKey },
  { suite: 'AES_CM_128_HMAC_SHA1_32', keyAndSalt: ourKey },
];
const protocols = ['RTP/AVP', 'RTP/SAVP', 'RTP/SAVPF'];
const local = { codecs, address: '192.0.2.1', port: 4000, crypto: keys, protocols };
const session = { sessionId: '1' };

function offer(protocol: string, crypto: readonly string[]): string {
  return [
    'v=0',
    'o=- 1 1 IN IP4 198.51.100.7',
    's=-',
    'c=IN IP4 198.51.100.7',
    't=0 0',
    `m=audio 5004 ${protocol} 0 8`,
    ...crypto.map((each) => `a=crypto:${each}`),
    '',
  ].join('\r\n');
}

describe('a=crypto', () => {
  const suite = 'AES_CM_128_HMAC_SHA1_80';
  const read = (text: string) => parseCrypto(`a=crypto:${text}`);

  it('RFC 4568 §6.1: a key is read, and its lifetime ignored', () => {
    for (const lifetime of ['', '|2^20', '|2^48', '|1048576']) {
      const line = `1 ${suite} inline:${theirKey}${lifetime}`;
      assert.deepEqual(read(line), { tag: 1, suite, keyAndSalt: theirKey });
    }
    assert.equal(read(`2 AES_256_CM_HMAC_SHA1_80 inline:${key256}`)?.keyAndSalt, key256);
    assert.equal(read(`2 AES_256_CM_HMAC_SHA1_80 inline:${key256.slice(0, 62)}`)?.keyAndSalt, key256);
    assert.equal(read(`9 ${suite} inline:${theirKey} WSH=128`)?.keyAndSalt, theirKey);
    assert.equal(read(`9 ${suite} inline:${theirKey} -UNKNOWN`)?.keyAndSalt, theirKey);
  });

  it('RFC 4568 §6.1, §6.3: several keys, an MKI, other session parameters, and keys of another length are not accepted', () => {
    for (const line of [
      `1 ${suite} inline:${theirKey}|2^20|1:4`,
      `1 ${suite} inline:${theirKey}|1:4`,
      `1 ${suite} inline:${theirKey}|2^20|1:4;inline:${ourKey}|2^20|2:4`,
      `1 ${suite} inline:${theirKey};inline:${ourKey}`,
      `1 ${suite} inline:${theirKey} UNENCRYPTED_SRTP`,
      `1 ${suite} inline:${theirKey} WSH=64 KDR=4`,
      `1 ${suite} inline:${theirKey.slice(4)}`,
      `1 ${suite} inline:${theirKey}AAAA`,
      `1 ${suite} inline:${theirKey}|0`,
      `1 ${suite} inline:${theirKey}|2^49`,
      `1 ${suite} other:${theirKey}`,
      `1 F8_128_HMAC_SHA1_80 inline:${theirKey}`,
    ]) {
      assert.equal(read(line)?.keyAndSalt, '', line);
    }
  });

  it('a malformed crypto line is ignored', () => {
    for (const line of ['', '1', `x ${suite} inline:${theirKey}`, `1 ${suite}`]) {
      assert.equal(read(line), undefined);
    }
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => void read(text)));
  });

  it('a crypto line belongs to its m= line, and of lines with one tag the first counts', () => {
    const text = `${offer('RTP/SAVP', [`1 ${suite} inline:${theirKey}`, `1 X inline:AA`])}m=video 9 RTP/SAVP 99\r\na=crypto:7 ${suite} inline:${ourKey}\r\n`;
    const parsed = parseSdp(text);
    assert.ok('session' in parsed);
    assert.deepEqual(
      parsed.session.media.map(({ crypto }) => crypto.map(({ tag, keyAndSalt }) => [tag, keyAndSalt])),
      [[[1, theirKey]], [[7, ourKey]]],
    );
  });
});

describe('our answer', () => {
  for (const protocol of ['RTP/SAVP', 'RTP/SAVPF', 'RTP/AVP']) {
    it(`RFC 4568 §5.1.2: our answer to ${protocol} accepts the first common line, with its tag and our key`, () => {
      const lines = [
        `3 F8_128_HMAC_SHA1_80 inline:${theirKey}`,
        `4 AES_CM_128_HMAC_SHA1_80 inline:${theirKey}|2^20|1:4`,
        `5 AES_CM_128_HMAC_SHA1_32 inline:${theirKey}|2^20`,
        `6 AES_CM_128_HMAC_SHA1_80 inline:${theirKey}`,
      ];
      const outcome = answerOffer(offer(protocol, lines), local, session);
      assert.ok('answer' in outcome);
      assert.match(outcome.answer, new RegExp(`^m=audio 4000 ${protocol} 0 8\\r$`, 'm'));
      assert.deepEqual(outcome.answer.match(/^a=crypto.*/gm), [
        `a=crypto:5 AES_CM_128_HMAC_SHA1_32 inline:${ourKey}`,
      ]);
      const crypto = { suite: 'AES_CM_128_HMAC_SHA1_32', sendKey: ourKey, receiveKey: theirKey };
      assert.deepEqual(outcome.agreed.crypto, crypto);
    });
  }

  it('without a usable line our answer refuses RTP/SAVP, and answers RTP/AVP with plain RTP (RFC 8643 §3.1)', () => {
    const unusable = [`1 F8_128_HMAC_SHA1_80 inline:${theirKey}`];
    for (const lines of [[], unusable]) {
      const refused = answerOffer(offer('RTP/SAVP', lines), local, session);
      assert.deepEqual(refused, { problem: 'no-common-crypto' });
      const clear = answerOffer(offer('RTP/AVP', lines), local, session);
      assert.ok('answer' in clear);
      assert.equal(clear.agreed.crypto, undefined);
      assert.doesNotMatch(clear.answer, /crypto/);
      const demanding = { ...local, requiresCrypto: true };
      assert.deepEqual(answerOffer(offer('RTP/AVP', lines), demanding, session), {
        problem: 'no-common-crypto',
      });
    }
  });

  it('our answer has no crypto without keys', () => {
    const { crypto: _, ...plain } = local;
    const lines = [`1 AES_CM_128_HMAC_SHA1_80 inline:${theirKey}`];
    assert.deepEqual(answerOffer(offer('RTP/SAVP', lines), plain, session), { problem: 'no-common-crypto' });
    const clear = answerOffer(offer('RTP/AVP', lines), plain, session);
    assert.ok('agreed' in clear && clear.agreed.crypto === undefined);
  });
});

describe('our offer', () => {
  for (const protocol of ['RTP/SAVP', 'RTP/AVP']) {
    it(`RFC 4568 §5.1.1: our offer with ${protocol} has a line for each suite; §5.1.3: the answer names one of them`, () => {
      const ours = createOffer({ ...local, protocols: [protocol], ...session });
      assert.deepEqual(ours.match(/^a=crypto:\d+ \w+/gm), [
        'a=crypto:1 AES_CM_128_HMAC_SHA1_80',
        'a=crypto:2 AES_CM_128_HMAC_SHA1_32',
      ]);
      const answer = offer(protocol, [`2 AES_CM_128_HMAC_SHA1_32 inline:${theirKey}|2^31`]);
      const outcome = applyAnswer(ours, answer, codecs);
      assert.ok('agreed' in outcome);
      assert.deepEqual(outcome.agreed.crypto, {
        suite: 'AES_CM_128_HMAC_SHA1_32',
        sendKey: ourKey,
        receiveKey: theirKey,
      });
      for (const wrong of ['3 AES_CM_128_HMAC_SHA1_80', '1 AES_CM_128_HMAC_SHA1_32', '1 X']) {
        const refused = applyAnswer(ours, offer(protocol, [`${wrong} inline:${theirKey}`]), codecs);
        assert.deepEqual(refused, { problem: 'no-common-crypto' }, wrong);
      }
    });
  }

  it('a plain RTP answer is accepted only to an RTP/AVP offer, unless SRTP is required', () => {
    const clear = applyAnswer(
      createOffer({ ...local, protocols: ['RTP/AVP'], ...session }),
      offer('RTP/AVP', []),
      codecs,
    );
    assert.ok('agreed' in clear && clear.agreed.crypto === undefined);
    const open = createOffer({ ...local, protocols: ['RTP/AVP'], ...session });
    const demanded = applyAnswer(open, offer('RTP/AVP', []), codecs, { requiresCrypto: true });
    assert.deepEqual(demanded, { problem: 'no-common-crypto' });
    const secure = createOffer({ ...local, protocols: ['RTP/SAVP'], ...session });
    assert.deepEqual(applyAnswer(secure, offer('RTP/SAVP', []), codecs), { problem: 'no-common-crypto' });
    assert.deepEqual(applyAnswer(secure, offer('RTP/AVP', []), codecs), { problem: 'unsupported-transport' });
    // With requiresCrypto false even the plain answers of phones that ignore the offer's profile are accepted.
    for (const profile of ['RTP/AVP', 'RTP/SAVP']) {
      const taken = applyAnswer(secure, offer(profile, []), codecs, { requiresCrypto: false });
      assert.ok('agreed' in taken && taken.agreed.crypto === undefined);
    }
    const strange = applyAnswer(secure, offer('UDP/TLS/RTP/SAVPF', []), codecs, { requiresCrypto: false });
    assert.deepEqual(strange, { problem: 'unsupported-transport' });
  });

  it('RFC 3264 §8: our offer repeats its keys and its version while nothing changes', () => {
    const first = createOffer({ ...local, protocols: ['RTP/SAVP'], ...session });
    assert.equal(createOffer({ ...local, protocols: ['RTP/SAVP'], ...session, previous: first }), first);
  });
});
