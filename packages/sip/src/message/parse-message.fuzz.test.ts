import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { mutatedText } from '@jackfield/testkit/mutated';
import fc from 'fast-check';
import { parseAuthorization } from '../auth/authorization.ts';
import { parseChallenge } from '../auth/challenge.ts';
import { decideRegistration } from '../registration/decide-registration.ts';
import { createStreamFramer } from '../transport/stream-framer.ts';
import { createResponse } from './create-response.ts';
import { parseCSeq } from './cseq.ts';
import type { SipHeaders } from './message.ts';
import { parseNameAddr, printNameAddr } from './name-addr.ts';
import { parseMessage } from './parse-message.ts';
import { printMessage } from './print-message.ts';
import { sameUri } from './same-uri.ts';
import { parseUri, printUri } from './uri.ts';
import { decodeUtf8 } from './utf8.ts';
import { parseVia, responseTarget, stampReceived } from './via.ts';

const corpus = new URL('../../corpus/', import.meta.url);
const torture = ['rfc4475', 'rfc5118'].map((folder) => new URL(`../torture/${folder}/`, import.meta.url));
const samples = [corpus, ...torture]
  .flatMap((folder) => readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'latin1')))
  .filter((text) => text.length < 5_000);

/** Parses every part of a message that the stack parses. */
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
    assert.ok(again !== undefined, 'an accepted message is accepted again after printing');
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
    '\r\nVia: ;,',
    '\r\nAccept: x/y',
    '\r\nContent-Type: x/y',
    '\r\nContent-Disposition: x;handling=optional',
    '\r\n\r\n',
  ),
);
const mutated = mutatedText(fc.constantFrom(...samples), {
  put: noise,
  cut: 30,
  copy: 40,
  minEdits: 1,
});

describe('parser and framer under mutation', () => {
  it('never throw, and an accepted message is accepted again after printing', () => {
    fc.assert(fc.property(mutated, survive), { numRuns: 2_000 });
  });

  it('survive every truncation of a message with every construct', () => {
    const whole = readFileSync(new URL('ok-wsinv.sip', corpus), 'latin1');
    for (let length = 0; length <= whole.length; length += 1) survive(whole.slice(0, length));
  });
});
