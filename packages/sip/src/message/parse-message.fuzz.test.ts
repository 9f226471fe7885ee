import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseAuthorization } from '../auth/authorization.ts';
import { parseChallenge } from '../auth/challenge.ts';
import { decideRegistration } from '../registration/decide-registration.ts';
import { createStreamFramer } from '../transport/stream-framer.ts';
import { createResponse } from './create-response.ts';
import { parseCSeq } from './cseq.ts';
import type { SipHeaders } from './message.ts';
import { parseNameAddr, printNameAddr } from './name-addr.ts';
import { DEFAULT_PARSE_LIMITS, parseMessage } from './parse-message.ts';
import { printMessage } from './print-message.ts';
import { sameUri } from './same-uri.ts';
import { parseUri, printUri } from './uri.ts';
import { decodeUtf8 } from './utf8.ts';
import { parseVia, responseTarget, stampReceived } from './via.ts';

const corpus = new URL('../../corpus/', import.meta.url);
const samples = readdirSync(corpus)
  .map((name) => readFileSync(new URL(name, corpus), 'latin1'))
  .filter((text) => text.length < 5_000);

/** Reads everything that the stack would read in a message. */
function readAll(headers: SipHeaders): void {
  for (const [name, value] of headers.entries()) {
    assert.doesNotMatch(value, /[\r\n]/, 'a value never holds a line break');
    for (const element of headers.all(name)) {
      const address = parseNameAddr(element);
      if (address !== undefined) {
        assert.deepEqual(parseNameAddr(printNameAddr(address)), address);
        const uri = parseUri(address.uri);
        if (uri !== undefined) assert.deepEqual(parseUri(printUri(uri)), uri);
        assert.equal(sameUri(address.uri, address.uri), true);
      }
      const via = parseVia(element);
      if (via !== undefined) responseTarget(via);
    }
    parseAuthorization(value);
    parseChallenge(value);
    parseCSeq(value);
    decodeUtf8(value);
  }
  const contacts = headers.all('Contact');
  const request = {
    contacts,
    expiresHeader: headers.get('Expires'),
    callId: 'c',
    cseq: 1,
    userAgent: '',
    flow: 'f',
  };
  decideRegistration(request, [], 0);
}

function survive(text: string): void {
  const { message, problem } = parseMessage(text);
  createStreamFramer().push(text);
  if (message !== undefined) {
    readAll(message.headers);
    const again = parseMessage(printMessage(message)).message;
    assert.ok(again !== undefined, 'what was accepted is accepted again after printing');
    assert.equal(again.body, message.body);
    assert.deepEqual([...again.headers.entries()], [...message.headers.entries()]);
    if (message.kind === 'request') stampReceived(message, '192.0.2.1', 5060);
  } else if (problem.request !== undefined) {
    readAll(problem.request.headers);
    const response = createResponse(problem.request, problem.status, problem.sentence, { toTag: 't' });
    const lines = printMessage(response).slice(0, -4).split('\r\n');
    for (const line of lines) assert.match(line, /^(SIP\/2\.0 [45]|[^\s:]+: )[^\r\n]*$/);
  }
}

const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
const noise = fc.oneof(
  fc.string({ unit: byte, maxLength: 20 }),
  fc.constantFrom(
    '\r\n',
    '\n',
    '\r',
    '\r\n ',
    '\0',
    '"',
    '<',
    '>',
    ',',
    ';',
    ':',
    '\\',
    '%',
    '=',
    '@',
    '[',
    ']',
    '-1',
    '\xff',
  ),
  fc.constantFrom(
    '\r\nContent-Length: 99999999999',
    '\r\nl: -5',
    '\r\nVia: x',
    '\r\nTo: "',
    '\r\nContact: *',
    '\r\n\r\n',
  ),
);
const edit = fc.record({
  at: fc.nat(4_000),
  cut: fc.nat(30),
  put: noise,
  from: fc.nat(4_000),
  copy: fc.nat(40),
});

describe('parser and framer under mutation', () => {
  it('never throw, and whatever is accepted prints to what is accepted again', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        (sample, edits) => {
          let text = sample;
          for (const { at, cut, put, from, copy } of edits) {
            const place = at % (text.length + 1);
            text = text.slice(0, place) + put + text.slice(from, from + copy) + text.slice(place + cut);
          }
          survive(text);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('survive every truncation of a message with every construct', () => {
    const whole = readFileSync(new URL('ok-wsinv.sip', corpus), 'latin1');
    for (let length = 0; length <= whole.length; length += 1) survive(whole.slice(0, length));
  });
});

/** Counts the characters that string and pattern operations look at, so that no clock is needed. */
function charactersVisited(work: () => void): number {
  let visited = 0;
  const { indexOf, charCodeAt, slice, includes, split, replace, trim, toLowerCase } = String.prototype;
  const { exec } = RegExp.prototype;
  const originals = { indexOf, charCodeAt, slice, includes, split, replace, trim, toLowerCase };
  const text = String.prototype as unknown as Record<keyof typeof originals, unknown>;
  const whole = (original: (...args: never[]) => unknown) =>
    function (this: string, ...args: never[]) {
      visited += this.length;
      return Reflect.apply(original, this, args);
    };
  try {
    text.indexOf = function (this: string, wanted: string, from = 0) {
      const found = Reflect.apply(indexOf, this, [wanted, from]);
      visited += (found < 0 ? this.length : found) - from + 1;
      return found;
    };
    text.charCodeAt = function (this: string, index: number) {
      visited += 1;
      return Reflect.apply(charCodeAt, this, [index]);
    };
    for (const name of ['includes', 'split', 'replace', 'trim', 'toLowerCase'] as const)
      text[name] = whole(originals[name]);
    text.slice = function (this: string, from?: number, to?: number) {
      const piece = Reflect.apply(slice, this, [from, to]);
      visited += Math.min(piece.length, 1);
      return piece;
    };
    RegExp.prototype.exec = function (this: RegExp, subject: string) {
      const start = this.global || this.sticky ? this.lastIndex : 0;
      const match: RegExpExecArray | null = Reflect.apply(exec, this, [subject]);
      visited += (match === null ? subject.length : match.index + match[0].length) - start;
      return match;
    };
    work();
  } finally {
    Object.assign(String.prototype, originals);
    RegExp.prototype.exec = exec;
  }
  return visited;
}

describe('the cost of a message', () => {
  const head =
    'OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/UDP c\r\nFrom: <sip:a>;tag=1\r\nTo: <sip:b>\r\nCall-ID: x\r\nCSeq: 1 OPTIONS\r\n';
  const shapes: Record<string, (size: number) => string> = {
    'folded lines': (size) => `${head}Subject: a${'\r\n b'.repeat(size)}\r\n\r\n`,
    'folds of spaces': (size) => `${head}Subject: a${'\r\n  \t  '.repeat(size)}\r\n\r\n`,
    'header lines': (size) => `${head}${'X: y\r\n'.repeat(size)}\r\n`,
    'lines without colon': (size) => `${head}${'nocolon\r\n'.repeat(size)}\r\n`,
    'list of commas': (size) => `${head}Route: ${','.repeat(size)}\r\n\r\n`,
    'long list': (size) => `${head}Contact: ${'<sip:a@b>, '.repeat(size)}\r\n\r\n`,
    'open quotes': (size) => `${head}Contact: ${'"'.repeat(size)}"\r\n\r\n`,
    'open brackets': (size) => `${head}Contact: ${'<'.repeat(size)}\r\n\r\n`,
    'display name without end': (size) => `${head.replace('<sip:b>', 'a '.repeat(size))}\r\n`,
    'backslashes in quotes': (size) => `${head.replace('<sip:b>', `"${'\\'.repeat(2 * size)}" <sip:b>`)}\r\n`,
    parameters: (size) => `${head.replace('<sip:b>', `<sip:b>${';a=b'.repeat(size)}`)}\r\n`,
    spaces: (size) => `${head}Subject:${' '.repeat(size)}\r\n\r\n`,
    'empty lines first': (size) => `${'\r\n'.repeat(size)}${head}\r\n`,
    'carriage returns': (size) => `${head}${'\r'.repeat(size)}`,
    'line feeds': (size) => `${head}${'\n'.repeat(size)}`,
    colons: (size) => `${head}${':'.repeat(size)}\r\n\r\n`,
    'percent signs in the URI': (size) => `${head.replace('sip:a@b', `sip:${'%41'.repeat(size)}@b`)}\r\n`,
  };
  const limits = { ...DEFAULT_PARSE_LIMITS, headerCount: 1e9, lineLength: 1e9, messageSize: 1e9 };
  const readEverything = (text: string) => (): void => {
    const { message, problem } = parseMessage(text, limits);
    const headers = message?.headers ?? problem?.request?.headers;
    for (const name of ['Contact', 'Route', 'Via', 'To']) {
      for (const value of headers?.all(name).slice(0, 50) ?? []) parseUri(parseNameAddr(value)?.uri ?? '');
    }
    if (message?.kind === 'request') parseUri(message.uri);
    createStreamFramer(1e9).push(text);
  };

  for (const [name, shape] of Object.entries(shapes)) {
    it(`doubles at most when its size doubles: ${name}`, () => {
      const once = charactersVisited(readEverything(shape(5_000)));
      const twice = charactersVisited(readEverything(shape(10_000)));
      assert.ok(once > 0);
      assert.ok(twice <= once * 2.2, `${once} characters visited, then ${twice}`);
    });
  }

  it('is measured by a meter that sees quadratic work', () => {
    const pops = (size: number) => (): void => {
      for (let text = 'x,'.repeat(size); text !== ''; text = text.slice(2)) text.includes('y');
    };
    assert.ok(charactersVisited(pops(200)) > charactersVisited(pops(100)) * 3);
  });
});
