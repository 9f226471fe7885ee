import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createResponse } from './create-response.ts';
import type { SipMessage } from './message.ts';
import { parseNameAddr } from './name-addr.ts';
import { DEFAULT_PARSE_LIMITS, type ParseOutcome, parseMessage } from './parse-message.ts';
import { printMessage } from './print-message.ts';
import { decodeUtf8 } from './utf8.ts';
import { parseVia } from './via.ts';

const corpus = new URL('../../corpus/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, corpus), 'latin1');

function message(outcome: ParseOutcome): SipMessage {
  assert.equal(outcome.problem, undefined);
  assert.ok(outcome.message);
  return outcome.message;
}

const VIA = 'Via: SIP/2.0/UDP a.example;branch=z9hG4bK1';
const REST = ['From: <sip:a@example.com>;tag=1', 'To: <sip:b@example.com>', 'Call-ID: c', 'CSeq: 1 OPTIONS'];
const request = (...extra: string[]): string =>
  ['OPTIONS sip:b@example.com SIP/2.0', VIA, ...REST, ...extra, '', ''].join('\r\n');

describe('parseMessage on the kept corpus (the file name starts with the expected outcome)', () => {
  for (const name of readdirSync(corpus)) {
    const expected = name.slice(0, name.indexOf('-'));
    it(name, () => {
      const { message, problem } = parseMessage(read(name));
      if (expected === 'ok') assert.ok(message, problem?.sentence);
      else if (expected === 'drop') assert.equal(problem?.request, undefined);
      else assert.equal(problem?.status, Number(expected), problem?.sentence);
    });
  }
});

describe('parseMessage', () => {
  it('parses folded lines, compact forms and spaces around separators (RFC 4475 §3.1.1.1)', () => {
    const { headers, body } = message(parseMessage(read('ok-wsinv.sip')));
    assert.equal(headers.get('CSeq'), '0009 INVITE');
    assert.equal(parseNameAddr(headers.get('From')!)?.displayName, 'J Rosenberg \\"');
    assert.equal(parseNameAddr(headers.get('f')!)?.tag, '98asjd8');
    assert.equal(parseNameAddr(headers.get('To')!)?.tag, '1918181833n');
    const vias = headers.all('Via').map((value) => parseVia(value));
    assert.deepEqual(
      vias.map((via) => [via?.transport, via?.host, via?.branch]),
      [
        ['UDP', '192.0.2.2', '390skdjuw'],
        ['TCP', 'spindle.example.com', 'z9hG4bK9ikj8'],
        ['UDP', '192.168.255.111', 'z9hG4bK30239'],
      ],
    );
    assert.equal(headers.get('NewFangledHeader'), 'newfangled value continued newfangled value');
    assert.equal(parseNameAddr(headers.get('Contact')!)?.displayName, 'Quoted string ""');
    assert.equal(body.length, 6);
  });

  it('keeps the bytes of a reason phrase', () => {
    const parsed = message(parseMessage(read('ok-unreason.sip')));
    assert.equal(parsed.kind === 'response' && decodeUtf8(parsed.reason), '= 2**3 * 5**2 но');
  });

  it('discards bytes beyond the Content-Length in a datagram (RFC 3261 §18.3)', () => {
    assert.equal(message(parseMessage(read('ok-longer-than-content-length.sip'))).body, 'v=');
    const first = message(parseMessage(read('ok-dblreq.sip')));
    assert.equal(first.kind === 'request' && first.method, 'REGISTER');
    assert.equal(first.body, '');
  });

  it('uses the rest of a datagram without Content-Length as its body', () => {
    assert.equal(message(parseMessage(`${request()}rest`)).body, 'rest');
  });

  it('refuses a datagram shorter than its Content-Length with 400 (RFC 3261 §18.3)', () => {
    const { problem } = parseMessage(`${request('Content-Length: 5')}1234`);
    assert.equal(problem?.status, 400);
    assert.equal(problem?.sentence, 'Content-Length is 5, but 4 bytes follow the header.');
    assert.equal(message(parseMessage(`${request('Content-Length: 5')}12345`)).body, '12345');
  });

  it('returns the readable part of a malformed request, so that it can be answered', () => {
    const { problem } = parseMessage(request('l: -1', 'Max-Forwards: 7'));
    assert.ok(problem?.request);
    const response = createResponse(problem.request, problem.status, problem.sentence, { toTag: 'z' });
    assert.equal(
      printMessage(response),
      [
        'SIP/2.0 400 Content-Length is not a number.',
        VIA,
        REST[0],
        'To: <sip:b@example.com>;tag=z',
        ...REST.slice(2),
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
    );
  });

  it('names the missing header among Via, From, To, Call-ID and CSeq, and returns no request without Via', () => {
    for (const missing of [VIA, ...REST]) {
      const { problem } = parseMessage(request().replace(`${missing}\r\n`, ''));
      assert.equal(problem?.status, 400);
      assert.equal(problem?.request === undefined, missing === VIA);
      assert.match(
        problem?.sentence ?? '',
        new RegExp(`${missing.slice(0, missing.indexOf(':'))} is missing`),
      );
    }
  });

  it('limits header fields, header length and message size by its arguments', () => {
    const tight = { ...DEFAULT_PARSE_LIMITS, headerCount: 6, lineLength: 60, messageSize: 300 };
    assert.ok(parseMessage(request('X: 1'), tight).message);
    assert.match(parseMessage(request('X: 1', 'Y: 2'), tight).problem?.sentence ?? '', /more than 6 header/);
    assert.ok(parseMessage(request(`X: ${'y'.repeat(57)}`), tight).message);
    assert.match(
      parseMessage(request(`X: ${'y'.repeat(58)}`), tight).problem?.sentence ?? '',
      /longer than 60/,
    );
    assert.equal(parseMessage(request() + 'x'.repeat(300), tight).problem?.status, 513);
  });

  it('accepts the version in any case and refuses others with 505 (RFC 3261 §7.1, §21.5.6)', () => {
    assert.ok(parseMessage(request().replace('SIP/2.0\r\n', 'sip/2.0\r\n')).message);
    assert.equal(parseMessage(request().replace(' SIP/2.0\r\n', ' SIP/3.0\r\n')).problem?.status, 505);
  });

  it('parses its own print to the same headers', () => {
    for (const name of readdirSync(corpus).filter((file) => file.startsWith('ok-'))) {
      const first = message(parseMessage(read(name)));
      const again = message(parseMessage(printMessage(first)));
      assert.deepEqual([...again.headers.entries()], [...first.headers.entries()], name);
      assert.equal(again.body, first.body, name);
    }
  });
});
