import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { parseAuthorization } from './authorization.ts';
import { challenges, parseChallenge } from './challenge.ts';
import { authorize } from './digest-client.ts';
import { parseDigestFields } from './digest-fields.ts';
import {
  createHa1,
  type DigestAlgorithm,
  digestAlgorithm,
  digestResponse,
  type Hash,
} from './digest-response.ts';
import { createDigestServer } from './digest-server.ts';
import { createNonces } from './nonces.ts';

const hash: Hash = (algorithm, text) =>
  createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
    .update(text, 'latin1')
    .digest('hex');
const equals = (one: string, other: string): boolean => one === other;

describe('the parameters of a Digest (RFC 7616 §3.3, RFC 3261 §25.1)', () => {
  for (const [value, fields] of [
    ['Digest a=b', { a: 'b' }],
    ['digest A="b, c", d=e', { a: 'b, c', d: 'e' }],
    ['DIGEST a="x\\"y"', { a: 'x"y' }],
    ['Digest a = "b" ,\t c=d ', { a: 'b', c: 'd' }],
    ['Digest ,, a=b,,c=d,', { a: 'b', c: 'd' }],
    ['Digest a=""', { a: '' }],
    ['Digest ', {}],
  ] as const) {
    it(`${value} has ${JSON.stringify(fields)}`, () =>
      assert.deepEqual(Object.fromEntries(parseDigestFields(value)!), fields));
  }

  for (const [why, value] of [
    ['another scheme', 'Basic a=b'],
    ['no space behind the scheme', 'Digesta=b'],
    ['a parameter without a value', 'Digest a'],
    ['an open quote', 'Digest a="b'],
    ['a repeated parameter', 'Digest a=b, A=c'],
    ['no comma between parameters', 'Digest a="b" c="d"'],
    ['a name that is no token', 'Digest a@b=c'],
    ['an empty name', 'Digest =c'],
  ] as const) {
    it(`${why} is refused`, () => assert.equal(parseDigestFields(value), undefined));
  }
});

describe('an authorization', () => {
  const md5 = 'a'.repeat(32);
  const base = `username="u", realm="r", nonce="n", uri="sip:x", response="${md5}"`;
  const withQop = (nc: string, qop = 'auth', cnonce = 'c'): string =>
    `Digest ${base}, qop=${qop}, nc=${nc}, cnonce="${cnonce}"`;

  for (const [rule, value, expected] of [
    [
      'without qop, the form of RFC 2069',
      `Digest ${base}`,
      { qop: undefined, nc: 0, cnonce: '', algorithm: 'MD5' },
    ],
    ['the first use of a nonce', withQop('00000001'), { qop: 'auth', nc: 1, ncText: '00000001' }],
    ['digits of nc are hexadecimal and kept as written', withQop('0000000A'), { nc: 10, ncText: '0000000A' }],
    ['the greatest nc', withQop('ffffffff'), { nc: 0xffffffff }],
    ['qop without case', withQop('00000001', 'AUTH'), { qop: 'auth' }],
    ['a response in upper case', `Digest ${base.replace(md5, 'A'.repeat(32))}`, { response: md5 }],
    [
      'SHA-256 with 64 digits',
      `Digest ${base.replace(md5, 'b'.repeat(64))}, algorithm=sha-256`,
      { algorithm: 'SHA-256' },
    ],
    ['an empty username', `Digest ${base.replace('"u"', '""')}`, { username: '' }],
  ] as const) {
    it(`is read: ${rule}`, () => {
      const read = parseAuthorization(value)!;
      for (const [key, each] of Object.entries(expected))
        assert.equal(read[key as keyof typeof read], each, key);
    });
  }

  for (const [rule, value] of [
    ['nc of 0', withQop('00000000')],
    ['nc of seven digits', withQop('0000001')],
    ['nc of nine digits', withQop('000000001')],
    ['no nc', `Digest ${base}, qop=auth, cnonce="c"`],
    ['an empty cnonce', withQop('00000001', 'auth', '')],
    ['auth-int, which was not offered', withQop('00000001', 'auth-int')],
    ['MD5-sess, which was not offered', `Digest ${base}, algorithm=MD5-sess`],
    ['SHA-256 with the digits of MD5', `Digest ${base}, algorithm=SHA-256`],
    ['MD5 with 31 digits', `Digest ${base.replace(md5, 'a'.repeat(31))}`],
    ['a response that is not hexadecimal', `Digest ${base.replace(md5, 'g'.repeat(32))}`],
    ['no realm', `Digest ${base.replace('realm="r", ', '')}`],
    ['no nonce', `Digest ${base.replace('nonce="n", ', '')}`],
    ['no uri', `Digest ${base.replace('uri="sip:x", ', '')}`],
    ['no username', `Digest ${base.replace('username="u", ', '')}`],
  ] as const) {
    it(`is malformed with ${rule}`, () => assert.equal(parseAuthorization(value), undefined));
  }
});

describe('challenges', () => {
  it('challenges of a server name both algorithms, the strongest first, and are read as written', () => {
    const values = challenges({ realm: 'a "b"', nonce: 'n', stale: true });
    assert.deepEqual(
      values.map((value) => parseChallenge(value)!),
      [
        { realm: 'a "b"', nonce: 'n', opaque: undefined, stale: true, algorithm: 'SHA-256', qops: ['auth'] },
        { realm: 'a "b"', nonce: 'n', opaque: undefined, stale: true, algorithm: 'MD5', qops: ['auth'] },
      ],
    );
    assert.ok(
      challenges({ realm: 'r', nonce: 'n', stale: false }).every((value) => !value.includes('stale')),
    );
  });

  for (const [value, seen] of [
    ['Digest realm="r", nonce="n"', { stale: false, algorithm: undefined, qops: [] }],
    ['Digest realm="r", nonce="n", qop="AUTH , auth-int"', { qops: ['auth', 'auth-int'] }],
    ['Digest realm="r", nonce="n", stale=TRUE, opaque="o"', { stale: true, opaque: 'o' }],
    ['Digest realm="r", nonce="n", stale=yes', { stale: false }],
  ] as const) {
    it(`${value}`, () => {
      const read = parseChallenge(value)!;
      for (const [key, each] of Object.entries(seen))
        assert.deepEqual(read[key as keyof typeof read], each, key);
    });
  }

  for (const value of [
    'Digest nonce="n"',
    'Digest realm="r"',
    'Basic realm="r"',
    'Digest realm="r", realm="s", nonce="n"',
  ]) {
    it(`${value} is none`, () => assert.equal(parseChallenge(value), undefined));
  }

  const answered = (...values: string[]): string[] =>
    authorize(
      { method: 'INVITE', uri: 'sip:x' },
      values,
      { username: 'u', password: 'p' },
      { hash, cnonce: 'c', nc: 1 },
    ).map(
      (value) =>
        `${parseDigestFields(value)!.get('realm')} ${parseDigestFields(value)!.get('algorithm') ?? 'none'} ${parseDigestFields(value)!.get('qop') ?? 'none'}`,
    );
  const asking = (rest: string, realm = 'r'): string => `Digest realm="${realm}", nonce="n"${rest}`;
  for (const [rule, values, expected] of [
    [
      'the strongest of a realm, wherever it stands',
      [asking(', algorithm=MD5, qop="auth"'), asking(', algorithm=SHA-256, qop="auth"')],
      ['r SHA-256 auth'],
    ],
    [
      'the first of two equals',
      [asking(', algorithm=MD5, qop="auth"'), asking(', algorithm=MD5')],
      ['r MD5 auth'],
    ],
    ['one of each realm', [asking('', 'a'), asking('', 'b')], ['a none none', 'b none none']],
    ['auth before auth-int', [asking(', qop="auth-int,auth"')], ['r none auth']],
    ['auth-int where nothing else is offered', [asking(', qop="auth-int"')], ['r none auth-int']],
    ['a session algorithm', [asking(', algorithm=SHA-256-sess, qop="auth"')], ['r SHA-256-sess auth']],
    ['none of an unknown algorithm', [asking(', algorithm=SHA-512-256')], []],
    ['none of an unknown qop', [asking(', qop="token"')], []],
    ['none of garbage', ['Bearer x', 'Digest'], []],
  ] as const) {
    it(`a client answers ${rule}`, () => assert.deepEqual(answered(...values), expected));
  }

  for (const [spelling, algorithm] of [
    [undefined, 'MD5'],
    ['md5', 'MD5'],
    ['Sha-256', 'SHA-256'],
    ['SHA256', undefined],
    ['', undefined],
  ] as const) {
    it(`the algorithm ${spelling ?? 'that is absent'} is ${algorithm ?? 'unknown'}`, () =>
      assert.equal(digestAlgorithm(spelling), algorithm));
  }
});

describe('the judgement of a server', () => {
  const realm = 'example.com';
  function bench(algorithms?: readonly DigestAlgorithm[]) {
    const nonces = createNonces({
      sign: (text) => createHmac('sha256', 'key').update(text).digest('hex'),
      equals,
    });
    const server = createDigestServer({
      realm,
      hash,
      equals,
      nonces,
      decoySecret: 'decoy',
      ...(algorithms && { algorithms }),
    });
    const request = createRequest({
      method: 'REGISTER',
      uri: 'sip:example.com',
      via: 'SIP/2.0/UDP a;branch=z9hG4bK1',
      from: '<sip:u@example.com>;tag=1',
      to: '<sip:u@example.com>',
      callId: '1',
      cseq: 1,
    });
    const ha1 = createHa1(hash, 'u', realm, 'secret');
    const judge = ({
      password = 'secret',
      uri = 'sip:example.com',
      method = 'REGISTER',
      nc = 1,
      nonce = nonces.issue(0, 's'),
      known = true,
      now = 0,
    } = {}): string => {
      const challenge = `Digest realm="${realm}", nonce="${nonce}", algorithm=SHA-256, qop="auth"`;
      const [value] = authorize(
        { method, uri },
        [challenge],
        { username: 'u', password },
        { hash, cnonce: 'c', nc },
      );
      request.headers.set('Authorization', value!);
      const claim = server.claim(request);
      assert.ok(claim.kind === 'claim');
      return server.judge(claim.authorization, known ? ha1 : undefined, request, now, 's');
    };
    return { server, request, nonces, judge };
  }

  for (const [rule, more, verdict] of [
    ['the right password', {}, 'accepted'],
    ['a wrong password', { password: 'x' }, 'refused'],
    ['an unknown user', { known: false }, 'refused'],
    ['a digest for another method', { method: 'INVITE' }, 'refused'],
    ['a digest for another user part', { uri: 'sip:eve@example.com' }, 'wrong-uri'],
    ['a digest for another host', { uri: 'sip:example.org' }, 'wrong-uri'],
    ['a URI with another port and parameters', { uri: 'sip:example.com:5070;transport=tcp' }, 'accepted'],
    ['a nonce of another server, with the right password', { nonce: '1-1-AAAAAAAAAAAAAA' }, 'stale'],
    [
      'a nonce of another server, with a wrong password',
      { nonce: '1-1-AAAAAAAAAAAAAA', password: 'x' },
      'stale',
    ],
    ['an old nonce', { now: 60_001 }, 'stale'],
  ] as const) {
    it(`${rule}: ${verdict}`, () => assert.equal(bench().judge(more), verdict));
  }

  it('a repeated use of a nonce is stale, and a refused guess uses nothing up', () => {
    const { judge, nonces } = bench();
    const nonce = nonces.issue(0, 's');
    assert.deepEqual(
      [judge({ nonce, password: 'x' }), judge({ nonce }), judge({ nonce }), judge({ nonce, nc: 2 })],
      ['refused', 'accepted', 'stale', 'accepted'],
    );
  });

  for (const [rule, values, kind] of [
    ['no field', [], 'none'],
    ['another scheme', ['Bearer x'], 'none'],
    [
      'another realm',
      [
        'Digest username="u", realm="other", nonce="n", uri="sip:x", response="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"',
      ],
      'none',
    ],
    ['a malformed Digest', ['Digest username="u"'], 'malformed'],
    ['the scheme alone', ['Digest'], 'malformed'],
    [
      'two of our realm',
      new Array(2).fill(
        `Digest username="u", realm="${realm}", nonce="n", uri="sip:x", response="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`,
      ),
      'malformed',
    ],
  ] as const) {
    it(`a request with ${rule}: ${kind}`, () => {
      const { server, request } = bench();
      request.headers.remove('Authorization');
      for (const value of values) request.headers.append('Authorization', value);
      assert.equal(server.claim(request).kind, kind);
      assert.equal(server.claim(request, 'Proxy-Authorization').kind, 'none');
    });
  }

  it('a challenge has a new nonce each time, in each of its algorithms the same', () => {
    const { server } = bench();
    const [one, other] = [server.challenge(0, 's', false), server.challenge(0, 's', false)].map((values) =>
      values.map((value) => parseChallenge(value)!.nonce),
    );
    assert.equal(new Set(one).size, 1);
    assert.notEqual(one![0], other![0]);
    assert.equal(bench(['MD5']).server.challenge(0, 's', true).length, 1);
  });

  it('RFC 2069: the response without qop covers neither nc nor cnonce', () => {
    const input = {
      algorithm: 'MD5',
      method: 'INVITE',
      uri: 'sip:x',
      nonce: 'n',
      qop: undefined,
      nc: '1',
      cnonce: 'a',
      body: '',
    } as const;
    assert.equal(
      digestResponse(hash, 'h', input),
      digestResponse(hash, 'h', { ...input, nc: '2', cnonce: 'b' }),
    );
    assert.notEqual(
      digestResponse(hash, 'h', { ...input, qop: 'auth' }),
      digestResponse(hash, 'h', { ...input, qop: 'auth', nc: '2' }),
    );
  });
});
