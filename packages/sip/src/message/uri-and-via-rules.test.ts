import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paramOf } from './params.ts';
import { parseMessage } from './parse-message.ts';
import { sameUri } from './same-uri.ts';
import { parseSipUri } from './uri.ts';
import { escapeUri, normaliseEscapes, unescapeUri } from './uri-escapes.ts';
import { createVia, parseVia, responseTarget, stampReceived } from './via.ts';

describe('URIs that are compared (RFC 3261 §19.1.4)', () => {
  for (const [one, other, same] of [
    ['sip:a@b;maddr=1.2.3.4', 'sip:a@b', false],
    ['sip:a@b;ttl=1', 'sip:a@b', false],
    ['sip:a@b;user=phone', 'sip:a@b', false],
    ['sip:a@b;method=INVITE', 'sip:a@b', false],
    ['sip:a@b;lr', 'sip:a@b', true],
    ['sip:a@b;x=1;y=2', 'sip:a@b;y=2;x=1', true],
    ['sip:a@b;x=1', 'sip:a@b;x=2', false],
    ['sip:a@b;x', 'sip:a@b;x=', true],
    ['sip:a@b;X=%31', 'sip:a@b;x=1', true],
    ['sip:a:p@b', 'sip:a:P@b', false],
    ['sip:a:%70@b', 'sip:a:p@b', true],
    ['sip:@b', 'sip:b', false],
    ['sip:b', 'sip:B', true],
    ['sip:a@b?x=1&y=2', 'sip:a@b?Y=2&X=1', true],
    ['sip:a@b?x=1', 'sip:a@b?x=1&x=1', false],
    ['sip:a%2fb@c', 'sip:a%2Fb@c', true],
    ['sip:a%2Fb@c', 'sip:a/b@c', false],
    ['sip:[2001:DB8::1]', 'sip:[2001:db8::1]', true],
    ['tel:+1A', 'tel:+1a', true],
    ['urn:x', 'URN:X', true],
    ['sip:a@b', 'not a uri', false],
  ] as const) {
    it(`${one} and ${other} are ${same ? '' : 'not '}equal`, () =>
      assert.deepEqual([sameUri(one, other), sameUri(other, one)], [same, same]));
  }

  for (const [part, text, escaped] of [
    ['user', 'a;b?c/d', 'a;b?c/d'],
    ['user', 'a@b:c#', 'a%40b%3Ac%23'],
    ['password', 'a;b', 'a%3Bb'],
    ['param', 'a;b=c[d]', 'a%3Bb%3Dc[d]'],
    ['header', 'a&b=c?', 'a%26b%3Dc?'],
    ['user', '\x00\xff ', '%00%FF%20'],
  ] as const) {
    it(`${JSON.stringify(text)} is escaped in a ${part} as ${escaped}`, () => {
      assert.equal(escapeUri(text, part), escaped);
      assert.equal(unescapeUri(escaped), text);
    });
  }

  it('a stray % stays, and escapes outside the reserved set are resolved for comparison', () => {
    assert.deepEqual(['%', '%4', '%zz', '100%'].map(unescapeUri), ['%', '%4', '%zz', '100%']);
    assert.deepEqual(['%41', '%2b', '%25', 'x'].map(normaliseEscapes), ['A', '%2B', '%25', 'x']);
  });

  it('the parts of a URI are where the grammar says, and nothing else is a SIP URI', () => {
    const uri = parseSipUri('sips:a;b=c:d@[::1]:5061;p=1;q?h=2')!;
    assert.deepEqual(
      [uri.scheme, uri.user, uri.password, uri.host, uri.port],
      ['sips', 'a;b=c', 'd', '[::1]', 5061],
    );
    assert.deepEqual(
      [paramOf(uri.params, 'p'), paramOf(uri.params, 'q'), uri.headers],
      ['1', '', [{ name: 'h', value: '2' }]],
    );
    for (const text of [
      'sip:',
      'sip:@',
      'sip:a@',
      'sip:a@b:',
      'sip:a@b:65536',
      'sip:a@b:x',
      'sip:a@b@c',
      'sip:a b@c',
      'http://a',
      'sip:a@b;p=<',
    ]) {
      assert.equal(parseSipUri(text), undefined, text);
    }
  });
});

describe('Via, and where its responses go (RFC 3261 §18.2, RFC 3581 §4)', () => {
  const requestWith = (via: string) => {
    const { message } = parseMessage(
      `OPTIONS sip:a SIP/2.0\r\nVia: ${via}\r\nFrom: <sip:a>;tag=1\r\nTo: <sip:b>\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\n\r\n`,
    );
    assert.ok(message?.kind === 'request');
    return message;
  };

  for (const [rule, via, stamped] of [
    [
      'sent-by is the source: nothing is added',
      'SIP/2.0/UDP 192.0.2.1;branch=x',
      'SIP/2.0/UDP 192.0.2.1;branch=x',
    ],
    ['sent-by is a name', 'SIP/2.0/UDP pc;branch=x', 'SIP/2.0/UDP pc;branch=x;received=192.0.2.1'],
    [
      'sent-by is another address',
      'SIP/2.0/TCP 10.0.0.1:5070',
      'SIP/2.0/TCP 10.0.0.1:5070;received=192.0.2.1',
    ],
    [
      'rport is asked for: both are added',
      'SIP/2.0/UDP 192.0.2.1;rport;branch=x',
      'SIP/2.0/UDP 192.0.2.1;rport=4000;branch=x;received=192.0.2.1',
    ],
    [
      'a received of the sender is replaced',
      'SIP/2.0/UDP 192.0.2.1;received=9.9.9.9',
      'SIP/2.0/UDP 192.0.2.1;received=192.0.2.1',
    ],
    [
      'an rport of the sender is replaced',
      'SIP/2.0/UDP pc;rport=9',
      'SIP/2.0/UDP pc;rport=4000;received=192.0.2.1',
    ],
    ['only the top value is stamped', 'SIP/2.0/UDP a, SIP/2.0/UDP b', 'SIP/2.0/UDP a;received=192.0.2.1'],
  ] as const) {
    it(rule, () => {
      const request = requestWith(via);
      assert.equal(stampReceived(request, '192.0.2.1', 4000), true);
      assert.equal(request.headers.get('Via'), stamped);
    });
  }

  for (const [via, host, port] of [
    ['SIP/2.0/UDP pc', 'pc', 5060],
    ['SIP/2.0/UDP pc:7000', 'pc', 7000],
    ['SIP/2.0/UDP pc;received=192.0.2.1', '192.0.2.1', 5060],
    ['SIP/2.0/UDP pc:7000;received=192.0.2.1;rport=4000', '192.0.2.1', 4000],
    ['SIP/2.0/TCP pc:7000;received=192.0.2.1;rport=4000', '192.0.2.1', 7000],
    ['SIP/2.0/TLS pc;received=192.0.2.1', '192.0.2.1', 5061],
    ['SIP/2.0/UDP pc;rport=70000', 'pc', 5060],
    ['SIP/2.0/UDP [2001:db8::1]:6', '2001:db8::1', 6],
    ['SIP/2.0/UDP pc;maddr=224.0.1.75', 'pc', 5060],
    ['SIP/2.0/UDP pc;received=', 'pc', 5060],
  ] as const) {
    it(`a response to ${via} goes to ${host} port ${port}`, () => {
      const target = responseTarget(parseVia(via)!);
      assert.deepEqual([target.host, target.port], [host, port]);
    });
  }

  it('an own Via asks for rport, with an IPv6 address in brackets', () => {
    assert.equal(
      createVia('udp', '2001:db8::1', 5060, 'z9hG4bKx'),
      'SIP/2.0/UDP [2001:db8::1]:5060;rport;branch=z9hG4bKx',
    );
    assert.equal(createVia('tls', '192.0.2.1', 1, 'b'), 'SIP/2.0/TLS 192.0.2.1:1;rport;branch=b');
  });
});
