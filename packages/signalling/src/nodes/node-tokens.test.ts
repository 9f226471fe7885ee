import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incarnationOf, incarnationOfToken, nodeToken } from './node-tokens.ts';

const random = '0123456789abcdef01234567';
const token = nodeToken(random, 'k3f9q2');

const lines = (...all: readonly string[]) => `${all.join('\r\n')}\r\n\r\n`;
const response = (...headers: readonly string[]) => lines('SIP/2.0 200 OK', ...headers);
const request = (...headers: readonly string[]) => lines('BYE sip:a@192.0.2.1 SIP/2.0', ...headers);
const invite = (...headers: readonly string[]) => lines('INVITE sip:a@192.0.2.1 SIP/2.0', ...headers);
const other = nodeToken(random, 'other');

describe('the incarnation that a SIP message names', () => {
  for (const [rule, text, incarnation] of [
    [
      'the branch of a response',
      response(`Via: SIP/2.0/UDP a:5060;rport;branch=z9hG4bK${token};received=192.0.2.9`),
      'k3f9q2',
    ],
    ['the branch in the compact form', response(`v:SIP/2.0/UDP a;BRANCH = z9hG4bK${token}`), 'k3f9q2'],
    [
      'a branch below the first Via does not count',
      response('Via: SIP/2.0/UDP proxy;branch=z9hG4bKabc', `Via: SIP/2.0/UDP a;branch=z9hG4bK${token}`),
      undefined,
    ],
    [
      'a branch after a comma does not count',
      response(`Via: SIP/2.0/UDP proxy;branch=z9hG4bKabc, SIP/2.0/UDP a;branch=z9hG4bK${token}`),
      undefined,
    ],
    [
      'the tag of a response does not count',
      response('Via: SIP/2.0/UDP a;branch=z9hG4bKabc', `To: <sip:a@b>;tag=${token}`),
      undefined,
    ],
    [
      'the To tag of a request',
      request('Via: SIP/2.0/UDP a;branch=z9hG4bKabc', `To: "A, B" <sip:a@b;user=phone>;tag=${token}`),
      'k3f9q2',
    ],
    ['the To tag in the compact form', request(`t: <sip:a@b> ; tag=${token}`), 'k3f9q2'],
    [
      'the From tag of a request does not count',
      request(`From: <sip:a@b>;tag=${token}`, 'To: <sip:a@b>'),
      undefined,
    ],
    ['the tag of a process without a cluster names none', request(`To: <sip:a@b>;tag=${random}`), undefined],
    ['a longer word does not count', request(`To: <sip:a@b>;tag=${token}.x`), undefined],
    [
      'a header in a body does not count',
      `${request('To: <sip:a@b>')}To: <sip:a@b>;tag=${token}\r\n`,
      undefined,
    ],
    ['a keep-alive names none', '\r\n\r\n', undefined],
    ['the dialog that an INVITE replaces', invite(`Replaces: a@b;from-tag=f;to-tag=${token}`), 'k3f9q2'],
    [
      'the to-tag of Replaces, wherever it stands',
      invite(`replaces : a@b; TO-TAG = ${token} ;from-tag=${other}`),
      'k3f9q2',
    ],
    [
      'the from-tag of a replaced dialog does not count',
      invite(`Replaces: a@b;from-tag=${token};to-tag=t`),
      undefined,
    ],
    [
      'the To tag of an INVITE precedes its Replaces',
      invite(`Replaces: a;to-tag=${token};from-tag=f`, `To: <a>;tag=${other}`),
      'other',
    ],
    [
      'Replaces in another request than INVITE does not count',
      request(`Replaces: a;to-tag=${token};from-tag=f`),
      undefined,
    ],
  ] as const)
    it(rule, () => assert.equal(incarnationOf(text), incarnation));

  it('a tag names its incarnation as a whole', () => {
    assert.deepEqual([token, random, `${token} `, ''].map(incarnationOfToken), [
      'k3f9q2',
      ...[undefined, undefined, undefined],
    ]);
  });

  it('a tag that is cut to eight digits stays unpredictable', () => {
    assert.equal(token.slice(0, 8), random.slice(0, 8));
  });
});
