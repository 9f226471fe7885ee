import assert from 'node:assert/strict';
import { createHmac, hash as digest, timingSafeEqual } from 'node:crypto';
import { describe, it } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import type { SipRequest } from '../message/message.ts';
import { parseAuthorization } from './authorization.ts';
import { challenges, parseChallenge } from './challenge.ts';
import { authorize } from './digest-client.ts';
import { parseDigestFields } from './digest-fields.ts';
import { createHa1, type DigestAlgorithm } from './digest-response.ts';
import { createDigestServer, type Judgement, verifyDigest } from './digest-server.ts';
import { createNonces } from './nonces.ts';

const names = { MD5: 'md5', 'SHA-256': 'sha256' };
let hashed: string[] = [];
const hash = (algorithm: DigestAlgorithm, text: string): string => {
  hashed.push(algorithm);
  return digest(names[algorithm], Buffer.from(text, 'latin1'), 'hex');
};
const equals = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));

const rfc7616 = (algorithm: string): string =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, ` +
  'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
const page = { method: 'GET', uri: '/dir/index.html' };
const mufasa = { username: 'Mufasa', password: 'Circle of Life' };
const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
const responseOf = (value: string | undefined): string | undefined =>
  parseDigestFields(value ?? '')?.get('response');

describe('digest vectors', () => {
  it('RFC 7616 §3.9.1: MD5 and SHA-256', () => {
    const md5 = authorize(page, [rfc7616('MD5')], mufasa, { hash, cnonce, nc: 1 });
    assert.equal(responseOf(md5[0]), '8ca523f5e9506fed4657c9700eebdbec');
    const sha256 = authorize(page, [rfc7616('SHA-256')], mufasa, { hash, cnonce, nc: 1 });
    assert.equal(responseOf(sha256[0]), '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1');
    assert.match(sha256[0] ?? '', /opaque="FQhe\/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"/);
    const ha1 = createHa1(hash, 'Mufasa', 'http-auth@example.org', 'Circle of Life');
    for (const value of [...md5, ...sha256]) {
      assert.equal(verifyDigest(hash, equals, parseAuthorization(value)!, ha1, 'GET'), true);
      assert.equal(verifyDigest(hash, equals, parseAuthorization(value)!, ha1, 'PUT'), false);
    }
  });

  it('RFC 2617 §3.5', () => {
    const challenge =
      'Digest realm="testrealm@host.com",qop="auth,auth-int",nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';
    const credentials = { username: 'Mufasa', password: 'Circle Of Life' };
    const [value] = authorize(page, [challenge], credentials, { hash, cnonce: '0a4f113b', nc: 1 });
    assert.equal(responseOf(value), '6629fae49393a05397450978507c4ef1');
    assert.equal(parseAuthorization(value!)?.ncText, '00000001');
  });

  it('RFC 2069 form, when the server offers no qop', () => {
    const challenge = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';
    const [value] = authorize(
      page,
      [challenge],
      { username: 'Mufasa', password: 'CircleOfLife' },
      { hash, cnonce, nc: 1 },
    );
    // RFC 2069 §2.4 with the correction of erratum 749
    assert.equal(responseOf(value), '1949323746fe6a43ef61f9606e7febea');
    assert.doesNotMatch(value!, /cnonce|nc=|qop/);
  });

  it('MD5-sess and auth-int hash the inputs of RFC 7616 §3.4.2 and §3.4.3', () => {
    const [session] = authorize(page, [rfc7616('MD5-sess')], mufasa, { hash, cnonce, nc: 1 });
    const a1 = hash(
      'MD5',
      `${hash('MD5', 'Mufasa:http-auth@example.org:Circle of Life')}:7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v:${cnonce}`,
    );
    const tail = `7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v:00000001:${cnonce}`;
    assert.equal(
      responseOf(session),
      hash('MD5', `${a1}:${tail}:auth:${hash('MD5', 'GET:/dir/index.html')}`),
    );
    const only = rfc7616('MD5').replace('auth, auth-int', 'auth-int');
    const [whole] = authorize({ ...page, body: 'xyz' }, [only], mufasa, { hash, cnonce, nc: 1 });
    const ha1 = hash('MD5', 'Mufasa:http-auth@example.org:Circle of Life');
    assert.equal(
      responseOf(whole),
      hash('MD5', `${ha1}:${tail}:auth-int:${hash('MD5', `GET:/dir/index.html:${hash('MD5', 'xyz')}`)}`),
    );
  });
});

describe('digest client', () => {
  it('answers the strongest algorithm it supports, once per realm (RFC 8760 §2.4)', () => {
    const values = authorize(
      page,
      [
        'Basic realm="x"',
        'Digest realm="a", nonce="0", algorithm=SHA-512-256',
        'Digest realm="a", nonce="1", algorithm=MD5',
        'Digest realm="a", nonce="2", algorithm=SHA-256',
        'Digest realm="b", nonce="3"',
      ],
      mufasa,
      { hash, cnonce, nc: 1 },
    );
    assert.deepEqual(
      values.map((value) => parseDigestFields(value)?.get('nonce')),
      ['2', '3'],
    );
    assert.deepEqual(
      authorize(page, ['Basic realm="x"', 'garbage', ''], mufasa, { hash, cnonce, nc: 1 }),
      [],
    );
  });
});

describe('parseDigestFields', () => {
  it('parses quoted, escaped and bare values, and refuses ambiguous fields', () => {
    assert.deepEqual(
      [...parseDigestFields('DIGEST a="x, \\"y\\"" ,B=c,, d = "e"')!],
      [
        ['a', 'x, "y"'],
        ['b', 'c'],
        ['d', 'e'],
      ],
    );
    const bad = [
      '',
      'Digest',
      'Basic a=b',
      'Digest a',
      'Digest a="b',
      'Digest a=b c=d',
      'Digest a=1,a=2',
      'Digest =b',
      'Digest "a"=b',
    ];
    for (const value of bad) assert.equal(parseDigestFields(value)?.size, undefined, value);
  });
});

describe('digest server', () => {
  let signed = 0;
  const sign = (text: string) => {
    signed++;
    return createHmac('sha256', 'key').update(text).digest('hex');
  };
  const nonces = createNonces({ sign, equals });
  const server = createDigestServer({ realm: 'r', hash, equals, nonces, decoySecret: 'd3c0y' });
  const ha1 = createHa1(hash, 'alice', 'r', 'secret');
  const register = (uri = 'sip:example.com'): SipRequest =>
    createRequest({ method: 'REGISTER', uri, from: '<sip:a>', to: '<sip:a>', callId: 'c', cseq: 1 });
  const judged = (
    change: {
      password?: string;
      nc?: number;
      uri?: string;
      source?: string;
      now?: number;
      nonces?: readonly string[];
      known?: boolean;
    } = {},
  ): Judgement => {
    const request = register();
    const offered = change.nonces ?? server.challenge(0, '192.0.2.1', false);
    const credentials = { username: 'alice', password: change.password ?? 'secret' };
    const target = { method: 'REGISTER', uri: change.uri ?? request.uri };
    for (const value of authorize(target, offered, credentials, { hash, cnonce: 'x', nc: change.nc ?? 1 })) {
      request.headers.append('Authorization', value);
    }
    const claim = server.claim(request);
    assert.ok(claim.kind === 'claim');
    hashed = [];
    signed = 0;
    const known = change.known === false ? undefined : ha1;
    return server.judge(claim.authorization, known, request, change.now ?? 0, change.source ?? '192.0.2.1');
  };

  it('offers SHA-256 before MD5, each with qop="auth", and marks stale', () => {
    const values = challenges({ realm: 'a "b"', nonce: 'n', stale: true });
    assert.deepEqual(values, [
      'Digest realm="a \\"b\\"", nonce="n", algorithm=SHA-256, qop="auth", stale=true',
      'Digest realm="a \\"b\\"", nonce="n", algorithm=MD5, qop="auth", stale=true',
    ]);
    assert.equal(parseChallenge(values[0]!)?.stale, true);
    assert.deepEqual(challenges({ realm: 'r', nonce: 'n', stale: false, algorithms: ['MD5'] }).length, 1);
  });

  it('accepts the right password in either algorithm', () => {
    assert.equal(judged(), 'accepted');
    assert.equal(judged({ nonces: server.challenge(0, '192.0.2.1', false).slice(1) }), 'accepted');
  });

  it('refuses a wrong password and an unknown user alike, at the same cost', () => {
    assert.equal(judged({ password: 'wrong' }), 'refused');
    const costOfWrong = [...hashed];
    assert.equal(judged({ known: false }), 'refused');
    assert.deepEqual(hashed, costOfWrong);
  });

  it('computes the signature of a nonce once for each request, whatever comes of it', () => {
    for (const change of [{}, { password: 'wrong' }, { known: false }, { now: 60_001 }]) {
      judged(change);
      assert.equal(signed, 1, JSON.stringify(change));
    }
  });

  it('answers stale for an old or foreign nonce, whether the password is right or wrong', () => {
    const invented = ['Digest realm="r", nonce="mine", qop="auth"'];
    for (const password of ['secret', 'wrong']) {
      assert.equal(judged({ now: 60_001, password }), 'stale');
      assert.equal(judged({ source: '203.0.113.1', password }), 'stale');
      assert.equal(judged({ nonces: invented, password }), 'stale');
    }
  });

  it('answers stale for a replayed nonce with the right password', () => {
    const offered = server.challenge(0, '192.0.2.1', false);
    assert.deepEqual(
      [judged({ nonces: offered }), judged({ nonces: offered }), judged({ nonces: offered, nc: 2 })],
      ['accepted', 'stale', 'accepted'],
    );
  });

  it('refuses a digest for another resource, but accepts another port or parameter of the URI', () => {
    assert.equal(judged({ uri: 'sip:other.example' }), 'wrong-uri');
    assert.equal(judged({ uri: 'sip:EXAMPLE.com:5060;transport=udp' }), 'accepted');
  });

  it('does not spend the nonce on a wrong password', () => {
    const offered = server.challenge(0, '192.0.2.1', false);
    const before = nonces.remembered;
    judged({ nonces: offered, password: 'wrong' });
    assert.equal(nonces.remembered, before);
    assert.equal(judged({ nonces: offered }), 'accepted');
  });

  it('distinguishes requests without, with foreign and with malformed authorization', () => {
    const request = register();
    assert.equal(server.claim(request).kind, 'none');
    request.headers.append(
      'Authorization',
      `Digest username="a", realm="other", nonce="n", uri="u", response="${'0'.repeat(32)}"`,
    );
    assert.equal(server.claim(request).kind, 'none');
    for (const bad of [
      'Digest realm="r"',
      'Digest username="a", realm="r", nonce="n", uri="u", response="short"',
    ]) {
      request.headers.set('Authorization', bad);
      assert.equal(server.claim(request).kind, 'malformed');
    }
    const ours = `Digest username="a", realm="r", nonce="n", uri="u", response="${'0'.repeat(32)}"`;
    request.headers.set('Authorization', ours);
    assert.equal(server.claim(request).kind, 'claim');
    request.headers.append('Authorization', ours.replace('username="a"', 'username="b"'));
    assert.equal(server.claim(request).kind, 'malformed', 'two of one realm');
    const base = `Digest username="a", realm="r", nonce="n", uri="u", response="${'0'.repeat(32)}"`;
    for (const tail of [
      ', qop=auth',
      ', qop=auth, nc=1, cnonce="c"',
      ', qop=auth, nc=00000000, cnonce="c"',
      ', qop=auth, nc=00000001, nc=00000002, cnonce="c"',
      ', qop=auth, nc=00000001, cnonce="c", NONCE="m"',
      ', qop=auth-int, nc=00000001, cnonce="c"',
      ', algorithm=SHA-256',
      ', algorithm=X',
    ]) {
      assert.equal(parseAuthorization(base + tail), undefined, tail);
    }
  });
});
