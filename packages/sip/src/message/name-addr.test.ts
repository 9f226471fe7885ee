import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseNameAddr, printNameAddr, tagOf } from './name-addr.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';

describe('parseNameAddr', () => {
  it('parses quoted, plain and absent display names (RFC 3261 §20.10)', () => {
    assert.deepEqual(parseNameAddr('"A \\"B\\", C" <sip:a@b;x=1>;tag=t;q="1;2"'), {
      displayName: 'A "B", C',
      uri: 'sip:a@b;x=1',
      params: [
        { name: 'tag', value: 't' },
        { name: 'q', value: '"1;2"' },
      ],
      tag: 't',
    });
    assert.equal(parseNameAddr('Mr. Watson <sip:a@b>')?.displayName, 'Mr. Watson');
    assert.equal(parseNameAddr('caller<sip:a@b>')?.displayName, 'caller');
    assert.equal(parseNameAddr('<sip:a@b>')?.displayName, undefined);
    assert.equal(parseNameAddr('"" <sip:a@b>')?.displayName, '');
  });

  it('assigns parameters after a URI without brackets to the header (RFC 3261 §20)', () => {
    const address = parseNameAddr('sip:a@b ;tag=x ; y');
    assert.deepEqual([address?.uri, address?.tag, address?.params.length], ['sip:a@b', 'x', 2]);
    assert.equal(parseNameAddr('sip:a@b?Route=%3Csip:sip.example.com%3E'), undefined);
    assert.equal(parseNameAddr('sip:a,b@c'), undefined);
  });

  it('refuses malformed addresses', () => {
    const bad = [
      '',
      '<',
      '>',
      '<>',
      '<sip:a@b',
      '"a <sip:a@b>',
      '"a" x <sip:a@b>',
      'a:b <sip:a@b>',
      'a@b <sip:a@b>',
      '<sip:a b>',
      '<sip:a@b> x',
      '<sip:a@b>;a b=c',
      '"a"',
      'no-colon',
      '*',
    ];
    for (const text of bad) assert.equal(parseNameAddr(text), undefined, text);
  });

  it('prints an address so that it parses to the same value', () => {
    const address = { displayName: 'a "q" \\ b', uri: 'sip:a@b;c=d', params: [{ name: 'tag', value: 't' }] };
    assert.deepEqual(parseNameAddr(printNameAddr(address)), { ...address, tag: 't' });
    assert.equal(tagOf('<sip:a@b>'), undefined);
  });

  it('keeps the bytes of a plain UTF-8 name, also those that are spaces in Unicode', () => {
    const address = parseNameAddr(`${encodeUtf8('Voilà')} <sip:a@b>`);
    assert.equal(decodeUtf8(address?.displayName ?? ''), 'Voilà');
  });
});

describe('UTF-8 in byte strings', () => {
  it('agrees with the platform on any text and on any bytes', () => {
    const texts = ['', 'abc', 'äöü', '€', '😀', 'a\u0000b', '\ud800', 'я'.repeat(50)];
    for (const text of texts) assert.equal(encodeUtf8(text), Buffer.from(text, 'utf8').toString('latin1'));
    const bytes = [
      '\xff',
      '\xc3',
      '\xc0\x80',
      '\xed\xa0\x80',
      '\xf4\x90\x80\x80',
      'a\xe2\x82b',
      '\xf0\x9f\x98\x80',
    ];
    assert.deepEqual(
      bytes.map(decodeUtf8).map((text) => text.includes('\ufffd')),
      [true, true, true, true, true, true, false],
    );
    assert.equal(decodeUtf8('\xf0\x9f\x98\x80!'), '😀!');
  });
});
