import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseAuthorization } from '../auth/authorization.ts';
import { parseChallenge } from '../auth/challenge.ts';
import { decideRegistration } from '../registration/decide-registration.ts';
import { createStreamFramer } from '../transport/stream-framer.ts';
import { createMemoryLink } from '../user-agent/testing/memory-link.ts';
import { parseCSeq } from './cseq.ts';
import { parseNameAddr } from './name-addr.ts';
import { DEFAULT_PARSE_LIMITS, parseMessage } from './parse-message.ts';
import { printMessage } from './print-message.ts';
import { sameUri } from './same-uri.ts';
import { workOf } from './testing/work-meter.ts';
import { parseUri } from './uri.ts';
import { decodeUtf8 } from './utf8.ts';
import { parseVia, responseTarget } from './via.ts';

interface Parts {
  readonly method: string;
  readonly uri: string;
  readonly via: string;
  readonly from: string;
  readonly to: string;
  readonly cseq: string;
  readonly contact: string;
  readonly more: string;
  readonly body: string;
}

function message(parts: Partial<Parts> = {}): string {
  const { method = 'INVITE', uri = 'sip:b@c', via = 'SIP/2.0/UDP c;branch=z9hG4bK1', more = '' } = parts;
  const { from = '<sip:a@b>;tag=1', to = '<sip:b@c>', contact = '<sip:a@b>', body = '' } = parts;
  const { cseq = `1 ${method}` } = parts;
  const fields = [
    `Via: ${via}`,
    `From: ${from}`,
    `To: ${to}`,
    'Call-ID: x',
    `CSeq: ${cseq}`,
    `Contact: ${contact}`,
  ];
  return `${method} ${uri} SIP/2.0\r\n${fields.join('\r\n')}\r\n${more}\r\n${body}`;
}

/** Inputs that grow with `n`; each is the worst known one for one rule of the grammar. */
const shapes: Readonly<Record<string, (n: number) => string>> = {
  'header lines': (n) => message({ more: 'X: y\r\n'.repeat(n) }),
  'header lines of one known name': (n) => message({ more: 'Supported: y\r\n'.repeat(n) }),
  'lines without colon': (n) => message({ more: 'nocolon\r\n'.repeat(n) }),
  'a long header name': (n) => message({ more: `${'x'.repeat(n)}: y\r\n` }),
  'spaces in front of a colon': (n) => message({ more: `Subject${' '.repeat(n)}: y\r\n` }),
  'names of Content-Length without a colon': (n) => message({ more: `l${' \t'.repeat(n)}x\r\n` }),
  'folded lines': (n) => message({ more: `Subject: a${'\r\n b'.repeat(n)}\r\n` }),
  'folds of spaces': (n) => message({ more: `Subject: a${'\r\n  \t '.repeat(n)}\r\n` }),
  'folds in To': (n) => message({ to: `<sip:b@c>${'\r\n '.repeat(n)};tag=1` }),
  'folds in Content-Length': (n) => message({ more: `l:${'\r\n '.repeat(n)}0\r\n` }),
  spaces: (n) => message({ more: `Subject:${' '.repeat(n)}x\r\n` }),
  'spaces inside Content-Length': (n) => message({ more: `Content-Length: 1${' '.repeat(n)}x\r\n` }),
  'digits of Content-Length': (n) =>
    message({ more: `Content-Length: ${'0'.repeat(n)}5\r\n`, body: 'v=0\r\n' }),
  'a Content-Length that lies upwards': (n) => message({ more: `l: ${n * 9}\r\n`, body: 'x'.repeat(n) }),
  'a Content-Length that lies downwards': (n) => message({ more: 'l: 1\r\n', body: 'x'.repeat(n) }),
  'many Content-Lengths': (n) => message({ more: 'l: 0\r\n'.repeat(n) }),
  'empty lines first': (n) => `${'\r\n'.repeat(n)}${message()}`,
  'carriage returns': (n) => message().slice(0, -2) + '\r'.repeat(n),
  'line feeds': (n) => message().slice(0, -2) + '\n'.repeat(n),
  colons: (n) => message({ more: `${':'.repeat(n)}\r\n` }),
  'endless Via fields': (n) => message({ more: 'Via: SIP/2.0/UDP c;branch=z9hG4bK2\r\n'.repeat(n) }),
  'an endless list of Vias': (n) =>
    message({ via: `SIP/2.0/UDP c;branch=z9hG4bK1${', SIP/2.0/UDP c'.repeat(n)}` }),
  'parameters of a Via': (n) => message({ via: `SIP/2.0/UDP c;branch=z9hG4bK1${';a=b'.repeat(n)}` }),
  'spaces inside a Via': (n) =>
    message({ via: `SIP${' '.repeat(n)}/${' '.repeat(n)}2.0/UDP${' '.repeat(n)}c` }),
  'a Via of RFC 2543': (n) => message({ via: `SIP/2.0/UDP c;x=${'a'.repeat(n)}` }),
  'a list of commas': (n) => message({ more: `Route: ${','.repeat(n)}\r\n` }),
  'a long list of contacts': (n) => message({ method: 'REGISTER', contact: '<sip:a@b>, '.repeat(n) }),
  'a long Record-Route': (n) => message({ more: `Record-Route: ${'<sip:a;lr>,'.repeat(n)}\r\n` }),
  'a long Require': (n) => message({ more: `Require: ${'a,'.repeat(n)}\r\n` }),
  'a long Accept': (n) => message({ more: `Accept: ${'a/b,'.repeat(n)}\r\n` }),
  'open quotes': (n) => message({ contact: `${'"'.repeat(2 * n)}"` }),
  'deep quoting': (n) => message({ to: `"${'\\"'.repeat(n)}" <sip:b@c>` }),
  'backslashes in quotes that never close': (n) => message({ to: `"${'\\'.repeat(2 * n)} <sip:b@c>` }),
  'quotes in parameters': (n) => message({ to: `<sip:b@c>${';a="b;"'.repeat(n)}` }),
  'open brackets': (n) => message({ contact: '<'.repeat(n) }),
  'brackets that never close': (n) => message({ to: '<sip:a@b'.repeat(n) }),
  'a display name without end': (n) => message({ to: 'a '.repeat(n) }),
  'a display name of UTF-8': (n) => message({ to: `"${'\xd0\xbd\xc3'.repeat(n)}" <sip:b@c>` }),
  'parameters of To': (n) => message({ to: `<sip:b@c>${';a=b'.repeat(n)}` }),
  'semicolons of To': (n) => message({ to: `<sip:b@c>${';'.repeat(n)}` }),
  'digits of CSeq': (n) => message({ cseq: `${'0'.repeat(n)}1 INVITE` }),
  'a long method': (n) => message({ method: 'x'.repeat(n) }),
  'escapes in the user': (n) => message({ uri: `sip:${'%41'.repeat(n)}@b` }),
  'escapes that are none': (n) => message({ uri: `sip:${'%4'.repeat(n)}@b` }),
  'a host of hyphens': (n) => message({ uri: `sip:a@${'a-'.repeat(n)}` }),
  'an IPv6 reference of colons': (n) => message({ uri: `sip:[${':'.repeat(n)}]` }),
  'parameters of the URI': (n) => message({ uri: `sip:a@b${';a=%41'.repeat(n)}` }),
  'headers of the URI': (n) => message({ uri: `sip:a@b?a=b${'&a=%41'.repeat(n)}` }),
  'a tel URI': (n) => message({ uri: `tel:+1${'-1'.repeat(n)}${';a=b'.repeat(n)}` }),
  'a scheme without end': (n) => message({ uri: 'a+'.repeat(n) }),
  'spaces in the request line': (n) => message({ uri: `sip:a${' '.repeat(n)}` }),
  'parameters of Content-Disposition': (n) =>
    message({ more: `Content-Type: x/y\r\nContent-Disposition: a${';b=c'.repeat(n)}\r\n`, body: 'x' }),
  'parts of a multipart': (n) =>
    message({ more: 'c: multipart/mixed;boundary=b\r\n', body: `${'--b\r\na: b\r\n\r\n'.repeat(n)}--b--` }),
  'boundaries that nearly are': (n) =>
    message({ more: 'c: multipart/mixed;boundary=bbbb\r\n', body: '\r\n--bbb'.repeat(n) }),
  'folds in a part of a multipart': (n) =>
    message({
      more: 'c: multipart/mixed;boundary=b\r\n',
      body: `--b\r\na: b${'\r\n '.repeat(n)}\r\n\r\n--b--`,
    }),
  'fields of digest credentials': (n) =>
    message({
      more: `Authorization: Digest ${Array.from({ length: n }, (_, at) => `a${at}="b"`).join()}\r\n`,
    }),
  'credentials that never close': (n) => message({ more: `Authorization: Digest ${'a="\\"'.repeat(n)}\r\n` }),
  'commas of a challenge': (n) => message({ more: `WWW-Authenticate: Digest ${', '.repeat(n)}\r\n` }),
  'qop of a challenge': (n) =>
    message({ more: `WWW-Authenticate: Digest realm="a", nonce="b", qop="${'auth, '.repeat(n)}"\r\n` }),
  'a reason phrase': (n) => message().replace('INVITE sip:b@c SIP/2.0', `SIP/2.0 200 ${'x '.repeat(n)}`),
  'no line at all': (n) => 'x'.repeat(n),
  'a SIP version that does not come': (n) => `a ${'SIP/'.repeat(n)}\r\n\r\n`,
};

const limits = { ...DEFAULT_PARSE_LIMITS, headerCount: 1e9, lineLength: 1e9, messageSize: 1e9 };
const contactLimits = {
  minExpires: 1,
  maxExpires: 9,
  defaultExpires: 9,
  maxContacts: 10,
  contactLength: 1e9,
};

/** The whole work of the stack on a message over a connection, in one piece and in several. */
function readAll(text: string): void {
  const { message: read, problem } = parseMessage(text, limits);
  const headers = read?.headers ?? problem?.request?.headers;
  if (read?.kind === 'request') parseUri(read.uri);
  if (read) printMessage(read);
  for (const name of ['Via', 'From', 'To', 'Contact', 'Route', 'Record-Route']) {
    // One pass parses a list of any length; a thousand values show the cost of each.
    for (const value of headers?.all(name) ?? []) {
      const via = parseVia(value);
      if (via) responseTarget(via);
      const address = parseNameAddr(value);
      if (!address) continue;
      parseUri(address.uri);
      sameUri(address.uri, `${address.uri};x`);
      decodeUtf8(address.displayName ?? '');
    }
  }
  for (const value of headers?.all('Authorization') ?? []) parseAuthorization(value);
  for (const value of headers?.all('WWW-Authenticate') ?? []) parseChallenge(value);
  parseCSeq(headers?.get('CSeq') ?? '');
  const registerRequest = {
    contacts: headers?.all('Contact') ?? [],
    expiresHeader: headers?.get('Expires'),
    callId: 'c',
    cseq: 1,
    userAgent: '',
    flow: 'f',
  };
  decideRegistration(registerRequest, [], 0, contactLimits);
}

function frame(text: string, size: number): void {
  const framer = createStreamFramer(1e9);
  for (let at = 0; at < text.length; at += size) framer.push(text.slice(at, at + size));
}

/** An endpoint that rings, answers and hangs up. */
function serve(text: string): () => void {
  const link = createMemoryLink({ protocol: 'tcp' });
  link.bob.onRequest = (incoming) => incoming.reply(200);
  link.bob.onInvite = (invite) => {
    invite.ring();
    invite.accept({ body: 'v=0', contentType: 'application/sdp' });
    invite.hangUp();
  };
  return () => link.inject('bob', text);
}

const works: Readonly<Record<string, (text: string) => () => void>> = {
  'the parser and all readers of headers': (text) => () => readAll(text),
  'the framer, in one piece': (text) => () => frame(text, text.length),
  'the framer, in pieces of 7': (text) => () => frame(text, 7),
  'a user agent': serve,
};

describe('The work for a message, counted in characters read, doubles at most when its size doubles', () => {
  for (const [worker, work] of Object.entries(works)) {
    for (const [name, shape] of Object.entries(shapes)) {
      it(`${worker}: ${name}`, () => {
        const [once, twice, four] = [500, 1_000, 2_000].map((n) => workOf(work(shape(n))));
        assert.ok(twice! <= once! * 2.2 && four! <= twice! * 2.2, `${once}, ${twice}, ${four} steps`);
        // The worst of them read each character about twenty times.
        assert.ok(four! <= 60 * shape(2_000).length + 6_000, `${four} steps for ${shape(2_000).length}`);
      });
    }
  }
});

describe('The meter', () => {
  it('counts quadratic work of string functions and of patterns', () => {
    const pops = (size: number) => (): void => {
      for (let text = 'x,'.repeat(size); text !== ''; text = text.slice(2)) text.includes('y');
    };
    assert.ok(workOf(pops(200)) > workOf(pops(100)) * 3);
    // A former pattern of the framer for Content-Length.
    const trims = (size: number) => (): void => void `1${' '.repeat(size)}x`.replace(/[ \t]+$/, '');
    assert.ok(workOf(trims(200)) > workOf(trims(100)) * 3);
  });

  it('restores strings, patterns and arrays', () => {
    const before = [String.prototype.indexOf, RegExp.prototype.exec, Array.prototype.join];
    assert.throws(() => workOf(() => parseMessage(undefined as unknown as string)));
    assert.deepEqual([String.prototype.indexOf, RegExp.prototype.exec, Array.prototype.join], before);
  });
});
