import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCSeq } from './cseq.ts';
import { createHeaders, splitList } from './headers.ts';
import { addressOfHost, hostOfAddress, isHost, portColon } from './host.ts';
import { parseNameAddr, tagOf } from './name-addr.ts';
import { paramOf, parseParams, printParams, withParam } from './params.ts';
import { parseStartLine } from './start-line.ts';
import { endOfQuoted, isToken, parseDeltaSeconds, parseDigits, quote, trimSpace, unquote } from './tokens.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';

describe('tokens and numbers (RFC 3261 §25.1)', () => {
  for (const [text, is] of [
    ["INVITE-x.1!%*_+`'~", true],
    ['', false],
    ['a b', false],
    ['a/b', false],
    ['a@b', false],
    ['ä', false],
    ['a\n', false],
  ] as const) {
    it(`${JSON.stringify(text)} is ${is ? 'a' : 'no'} token`, () => assert.equal(isToken(text), is));
  }

  for (const [text, most, number] of [
    ['0', 9, 0],
    ['0005', 9, 5],
    ['9', 9, 9],
    ['10', 9, undefined],
    ['', 9, undefined],
    ['-1', 9, undefined],
    ['1 ', 9, undefined],
    ['١', 9, undefined],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER, undefined],
  ] as const) {
    it(`the digits ${JSON.stringify(text.slice(0, 20))} up to ${most} are ${number}`, () =>
      assert.equal(parseDigits(text, most), number));
  }

  for (const [text, seconds] of [
    ['4294967295', 4_294_967_295],
    ['4294967296', 4_294_967_295],
    ['9'.repeat(50), 4_294_967_295],
    ['1.5', undefined],
    ['', undefined],
  ] as const) {
    it(`${text.slice(0, 12)} delta-seconds are ${seconds}`, () =>
      assert.equal(parseDeltaSeconds(text), seconds));
  }

  for (const [text, quoted] of [
    ['', '""'],
    ['a "b" \\c', '"a \\"b\\" \\\\c"'],
  ] as const) {
    it(`${JSON.stringify(text)} in quotes is ${quoted}, and the same without them`, () => {
      assert.equal(quote(text), quoted);
      assert.equal(unquote(quoted), text);
      assert.equal(endOfQuoted(`${quoted};x`, 0), quoted.length);
    });
  }

  it('a quoted text that does not close has no end, also when its last quote is escaped', () => {
    assert.deepEqual([endOfQuoted('"abc', 0), endOfQuoted('"abc\\"', 0), endOfQuoted('"', 0)], [-1, -1, -1]);
    assert.deepEqual([unquote('"'), unquote('"abc'), unquote('abc')], ['"', '"abc', 'abc']);
  });

  it('spaces and tabs are removed at both ends, and no other byte', () => {
    assert.equal(trimSpace(' \t a b\t '), 'a b');
    assert.equal(trimSpace('\u00a0a\u00a0'), '\u00a0a\u00a0');
    assert.equal(trimSpace(' \t'), '');
  });

  for (const [value, seq, method] of [
    ['1 INVITE', 1, 'INVITE'],
    ['2147483647 BYE', 2_147_483_647, 'BYE'],
    ['0 ACK', 0, 'ACK'],
    ['7 \t INFO ', 7, 'INFO'],
    ['2147483648 BYE', undefined, undefined],
    ['INVITE', undefined, undefined],
    ['1', undefined, undefined],
    ['1 A B', undefined, undefined],
    ['-1 BYE', undefined, undefined],
  ] as const) {
    it(`the CSeq ${value} is ${seq} ${method}`, () =>
      assert.deepEqual(parseCSeq(value), seq === undefined ? undefined : { seq, method }));
  }
});

describe('hosts', () => {
  for (const [text, is] of [
    ['example.com', true],
    ['example.com.', true],
    ['a', true],
    ['a_b.c-d', true],
    ['-a', false],
    ['a-', false],
    ['a b', false],
    ['', false],
    ['a'.repeat(255), true],
    ['a'.repeat(256), false],
    ['[::1]', true],
    ['[2001:db8::9:1]', true],
    ['[2001:db8::192.0.2.1]', true],
    ['[1:2:3:4:5:6:7:8]', true],
    ['[1:2:3:4:5:6:7]', false],
    ['[1:2:3:4:5:6:7:8:9]', false],
    ['[1::2:3:4:5:6:7:8]', false],
    ['[1::2::3]', false],
    ['[::192.0.2.1:1]', false],
    ['[12345::]', false],
    ['[fe80::1%eth0]', true],
    ['[fe80::1%]', false],
    ['2001:db8::1', false],
    ['[::1', false],
  ] as const) {
    it(`${text.slice(0, 40)} is ${is ? 'a' : 'no'} host`, () => assert.equal(isHost(text), is));
  }

  for (const [host, address] of [
    ['[2001:db8::1]', '2001:db8::1'],
    ['192.0.2.1', '192.0.2.1'],
    ['[2001:db8:::192.0.2.1]', '2001:db8::192.0.2.1'],
  ] as const) {
    it(`the address of ${host} is ${address}`, () => {
      assert.equal(addressOfHost(host), address);
      assert.equal(addressOfHost(hostOfAddress(address)), address);
    });
  }

  it('the colon of a port is not one of the address', () => {
    assert.deepEqual(
      [portColon('a:1'), portColon('[::1]:5'), portColon('[::1]'), portColon('a')],
      [1, 5, -1, -1],
    );
  });
});

describe('parameters of a header', () => {
  for (const [text, expected] of [
    ['', []],
    ['  ', []],
    [';lr', [{ name: 'lr', value: undefined }]],
    [';A=B', [{ name: 'a', value: 'B' }]],
    [
      ' ; a = b ; c ',
      [
        { name: 'a', value: 'b' },
        { name: 'c', value: undefined },
      ],
    ],
    [';a="x;y\\"z"', [{ name: 'a', value: '"x;y\\"z"' }]],
    [';a=', [{ name: 'a', value: '' }]],
    [';;a;', [{ name: 'a', value: undefined }]],
    [';a=b=c', [{ name: 'a', value: 'b=c' }]],
    ['x', undefined],
    [';=b', undefined],
    [';a b', undefined],
    [';a="x', undefined],
  ] as const) {
    it(`${JSON.stringify(text)}`, () => assert.deepEqual(parseParams(text, 0), expected));
  }

  it('the first of two counts, a flag has an empty value, and one is replaced where it stands', () => {
    const params = parseParams(';a=1;b;a=2', 0)!;
    assert.deepEqual(
      [paramOf(params, 'a'), paramOf(params, 'b'), paramOf(params, 'c')],
      ['1', '', undefined],
    );
    assert.equal(printParams(withParam(params, 'b', 'x')), ';a=1;b=x;a=2');
    assert.equal(printParams(withParam(params, 'c', undefined)), ';a=1;b;a=2;c');
  });
});

describe('addresses of headers', () => {
  for (const [value, name, uri, tag] of [
    ['<sip:a@b>', undefined, 'sip:a@b', undefined],
    ['A. G. Bell <sip:a@b>;tag=1', 'A. G. Bell', 'sip:a@b', '1'],
    ['"A, \\"B\\"" <sip:a@b;x=y>', 'A, "B"', 'sip:a@b;x=y', undefined],
    ['""<sip:a@b>;TAG=x', '', 'sip:a@b', 'x'],
    ['sip:a@b;tag=1', undefined, 'sip:a@b', '1'],
    ['<tel:+1;phone-context=x>', undefined, 'tel:+1;phone-context=x', undefined],
    ['<sip:a@b?Subject=x>;tag=', undefined, 'sip:a@b?Subject=x', ''],
    ['sip:a@b;tag="<x>"', undefined, 'sip:a@b', '"<x>"'],
  ] as const) {
    it(value, () => {
      const address = parseNameAddr(value);
      assert.deepEqual([address?.displayName, address?.uri, address?.tag], [name, uri, tag]);
      assert.equal(tagOf(value), tag);
    });
  }

  for (const value of [
    '',
    '<>',
    '<sip:a@b',
    '"A <sip:a@b>',
    '"A" x <sip:a@b>',
    'A; B <sip:a@b>',
    'sip:a@b?x=y',
    'sip:a@b,c',
    '<sip:a b>',
    '<sip:a@b> x',
    'no-scheme',
    '"A"',
  ]) {
    it(`${JSON.stringify(value)} is none`, () => assert.equal(parseNameAddr(value), undefined));
  }
});

describe('header fields with several values (RFC 3261 §7.3.1)', () => {
  for (const [text, values] of [
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    [' a , b ,', ['a', 'b']],
    [',,a', ['a']],
    ['', []],
    [',', []],
    ['"a,b" <sip:c>,d', ['"a,b" <sip:c>', 'd']],
    ['<sip:a,b>,c', ['<sip:a,b>', 'c']],
    ['"a\\",b",c', ['"a\\",b"', 'c']],
    ['<sip:a"b>,c', ['<sip:a"b>', 'c']],
    ['"open,b', ['"open,b']],
  ] as const) {
    it(`${JSON.stringify(text)} has ${values.length}`, () => assert.deepEqual(splitList(text), values));
  }

  for (const [compact, name] of [
    ['v', 'Via'],
    ['f', 'From'],
    ['t', 'To'],
    ['i', 'Call-ID'],
    ['m', 'Contact'],
    ['l', 'Content-Length'],
    ['c', 'Content-Type'],
    ['k', 'Supported'],
    ['s', 'Subject'],
    ['e', 'Content-Encoding'],
    ['o', 'Event'],
    ['u', 'Allow-Events'],
    ['r', 'Refer-To'],
    ['b', 'Referred-By'],
    ['x', 'Session-Expires'],
    ['y', 'Identity'],
  ] as const) {
    it(`the compact form ${compact} is ${name}, in either case (§7.3.3)`, () => {
      const headers = createHeaders([
        [compact, 'one'],
        [name.toUpperCase(), 'two'],
        [compact.toUpperCase(), 'three'],
      ]);
      assert.equal(headers.all(name).length, 3);
      assert.equal([...headers.entries()][0]![0], name);
    });
  }

  it('removing the first value of a list leaves the others, also over empty elements and fields', () => {
    const headers = createHeaders([
      ['Via', ' , '],
      ['Via', 'a,,b'],
      ['Route', 'x'],
      ['Via', 'c'],
    ]);
    const seen: (string | undefined)[] = [];
    while (headers.has('Via')) {
      headers.removeFirst('Via');
      seen.push(headers.get('Via'));
    }
    assert.deepEqual(seen, ['b', 'c', undefined]);
    assert.equal(headers.get('Route'), 'x');
  });
});

describe('the first line (RFC 3261 §7.1, §7.2)', () => {
  for (const [line, seen] of [
    ['OPTIONS sip:a@b SIP/2.0', ['request', 'OPTIONS', 'sip:a@b', undefined]],
    ['options sip:a@b sip/2.0', ['request', 'options', 'sip:a@b', undefined]],
    ['OPTIONS sip:a@b SIP/3.0', ['request', 505]],
    ['OPTIONS sip:a@b SIP/2.01', ['request', 505]],
    ['OPTIONS <sip:a@b> SIP/2.0', ['request', 400]],
    ['OPTIONS sip:a b SIP/2.0', ['request', 400]],
    ['OPTIONS  SIP/2.0', ['request', 400]],
    ['OPTIONS SIP/2.0', ['request', 400]],
    ['OPT@IONS sip:a@b SIP/2.0', undefined],
    ['GET / HTTP/1.1', undefined],
    ['', undefined],
    ['SIP/2.0 200 OK', ['response', 200, 'OK']],
    ['SIP/2.0 200 ', ['response', 200, '']],
    ['SIP/2.0 200', ['response', 200, '']],
    ['sip/2.0 100 Trying', ['response', 100, 'Trying']],
    ['SIP/2.0 699 x y', ['response', 699, 'x y']],
    ['SIP/2.0 700 x', undefined],
    ['SIP/2.0 099 x', undefined],
    ['SIP/2.0 2000 x', undefined],
    ['SIP/2.0  200 x', undefined],
  ] as const) {
    it(`${JSON.stringify(line)}`, () => {
      const start = parseStartLine(line, 100);
      if (seen === undefined) assert.equal(start, undefined);
      else if (start?.kind === 'response') assert.deepEqual([start.kind, start.status, start.reason], seen);
      else if (typeof seen[1] === 'number')
        assert.deepEqual([start?.kind, start?.status, typeof start?.problem], [...seen, 'string']);
      else assert.deepEqual([start?.kind, start?.method, start?.uri, start?.problem], seen);
    });
  }

  it('a request line beyond the limit is 414, exactly at the limit it is read', () => {
    const line = `OPTIONS sip:${'a'.repeat(79)} SIP/2.0`;
    assert.equal(line.length, 99);
    assert.equal(parseStartLine(line, 99)?.problem, undefined);
    assert.deepEqual(
      [
        parseStartLine(line, 98)?.problem !== undefined,
        (parseStartLine(line, 98) as { status: number }).status,
      ],
      [true, 414],
    );
  });
});

describe('UTF-8 in bytes (RFC 3629)', () => {
  for (const text of ['', 'abc', 'é', '€', '😀', 'aé€😀z', '\u0000\u007f\u0080\u07ff\u0800\uffff']) {
    it(`${JSON.stringify(text)} is the bytes of the platform, and back`, () => {
      const bytes = Buffer.from(text, 'utf8').toString('latin1');
      assert.equal(encodeUtf8(text), bytes);
      assert.equal(decodeUtf8(bytes), text);
    });
  }

  for (const [rule, bytes] of [
    ['a lone continuation', '\x80'],
    ['an overlong slash', '\xc0\xaf'],
    ['a cut sequence', 'a\xe2\x82'],
    ['a surrogate', '\xed\xa0\x80'],
    ['beyond U+10FFFF', '\xf4\x90\x80\x80'],
  ] as const) {
    it(`${rule} holds replacement characters and never throws`, () => {
      assert.match(decodeUtf8(bytes), /\ufffd/);
      assert.ok(!decodeUtf8(bytes).includes('/'));
    });
  }

  it('a lone surrogate of a text becomes U+FFFD', () => assert.equal(encodeUtf8('\ud800'), '\xef\xbf\xbd'));
});
