import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sameUri } from './same-uri.ts';
import { parseSipUri, parseUri, printUri, uriScheme } from './uri.ts';

describe('parseUri', () => {
  it('parses every part of a SIP URI, unescaped (RFC 3261 §19.1.3)', () => {
    assert.deepEqual(
      parseUri('sips:al%69ce:p%3Aw@GateWay.com:5061;Transport=tcp;lr;x=%20?Subject=pro%26ject&p=1'),
      {
        scheme: 'sips',
        user: 'alice',
        password: 'p:w',
        host: 'gateway.com',
        port: 5061,
        params: [
          { name: 'transport', value: 'tcp' },
          { name: 'lr', value: undefined },
          { name: 'x', value: ' ' },
        ],
        headers: [
          { name: 'subject', value: 'pro&ject' },
          { name: 'p', value: '1' },
        ],
      },
    );
  });

  it('parses IPv6 references with and without port', () => {
    const uri = parseSipUri('sip:[2001:DB8::10]:5070;user=phone');
    assert.deepEqual([uri?.host, uri?.port], ['[2001:db8::10]', 5070]);
    assert.equal(parseSipUri('sip:u@[::1]')?.host, '[::1]');
  });

  it('treats "?" and ";" before the "@" as part of the user (RFC 3261 §25.1)', () => {
    const uri = parseSipUri('sip:a;b?c=1&d@example.com;e=f');
    assert.deepEqual(
      [uri?.user, uri?.host, uri?.params],
      ['a;b?c=1&d', 'example.com', [{ name: 'e', value: 'f' }]],
    );
  });

  it('parses tel URIs (RFC 3966)', () => {
    assert.deepEqual(parseUri('tel:+1-202-555-0100;phone-context=x'), {
      scheme: 'tel',
      number: '+1-202-555-0100',
      params: [{ name: 'phone-context', value: 'x' }],
    });
    assert.equal(parseUri('tel:'), undefined);
    assert.equal(parseUri('tel:()'), undefined);
  });

  it('refuses malformed URIs', () => {
    const bad = [
      '',
      'sip',
      'sip:',
      'sip:@b',
      'sip:a@',
      'sip:a@b:',
      'sip:a@b:99999',
      'sip:a@b:-1',
      'sip:a b@c',
      'sip:a@b@c',
    ];
    const worse = [
      'sip:a@b c',
      'sip:a@b;x= y',
      'sip:a@[::1',
      'sip:a@b\r\nc',
      'sip:%zz@b',
      'http://a',
      'sip:a@b;=c',
      'sip:a"@b',
    ];
    for (const text of [...bad, ...worse]) assert.equal(parseUri(text), undefined, text);
    assert.equal(uriScheme('nobodyKnows:x'), 'nobodyknows');
    assert.equal(uriScheme('no colon'), undefined);
  });

  it('prints a parsed URI to an equal one, whatever bytes its parts hold', () => {
    const bytes = fc.string({
      unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
      minLength: 1,
    });
    fc.assert(
      fc.property(bytes, bytes, bytes, (user, password, value) => {
        const uri = {
          scheme: 'sip' as const,
          user,
          password,
          host: 'example.com',
          port: 5062,
          params: [{ name: 'p', value }],
          headers: [{ name: 'h', value }],
        };
        const text = printUri(uri);
        assert.match(text, /^[\x21-\x7e]+$/);
        assert.deepEqual(parseUri(text), uri);
      }),
      { numRuns: 200 },
    );
  });
});

describe('sameUri: the examples of RFC 3261 §19.1.4', () => {
  const equal: [string, string][] = [
    ['sip:%61lice@atlanta.com;transport=TCP', 'sip:alice@AtLanTa.CoM;Transport=tcp'],
    ['sip:carol@chicago.com', 'sip:carol@chicago.com;newparam=5'],
    ['sip:carol@chicago.com', 'sip:carol@chicago.com;security=on'],
    [
      'sip:biloxi.com;transport=tcp;method=REGISTER?to=sip:bob%40biloxi.com',
      'sip:biloxi.com;method=REGISTER;transport=tcp?to=sip:bob%40biloxi.com',
    ],
    [
      'sip:alice@atlanta.com?subject=project%20x&priority=urgent',
      'sip:alice@atlanta.com?priority=urgent&subject=project%20x',
    ],
  ];
  const different: [string, string][] = [
    ['SIP:ALICE@AtLanTa.CoM;Transport=udp', 'sip:alice@AtLanTa.CoM;Transport=UDP'],
    ['sip:bob@biloxi.com', 'sip:bob@biloxi.com:5060'],
    ['sip:bob@biloxi.com', 'sip:bob@biloxi.com;transport=udp'],
    ['sip:bob@biloxi.com:6000;transport=tcp', 'sip:bob@biloxi.com'],
    ['sip:carol@chicago.com', 'sip:carol@chicago.com?Subject=next%20meeting'],
    ['sip:bob@phone21.boxesbybob.com', 'sip:bob@192.0.2.4'],
    ['sip:carol@chicago.com;security=on', 'sip:carol@chicago.com;security=off'],
    ['sip:a@b', 'sips:a@b'],
    ['sip:a%3Bb@c', 'sip:a;b@c'],
    ['sip:a@b', 'sip:a:@b'],
    ['tel:+1', 'sip:a@b'],
  ];
  for (const [one, other] of equal) {
    it(`${one} is ${other}`, () =>
      assert.deepEqual([sameUri(one, other), sameUri(other, one)], [true, true]));
  }
  for (const [one, other] of different) {
    it(`${one} is not ${other}`, () =>
      assert.deepEqual([sameUri(one, other), sameUri(other, one)], [false, false]));
  }
});
