import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { ByteString } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { parseSipUri } from '../message/uri.ts';
import { createStreamFramer } from '../transport/stream-framer.ts';
import { type MeetOptions, meet, wellFormedRequest } from './testing/meet.ts';
import { createRegistrar } from './testing/registrar.ts';

const read = (name: string): ByteString =>
  readFileSync(new URL(`rfc4475/${name}.dat`, import.meta.url), 'latin1');

/** The element answers with this status only, its owner gets no event, and the answer matches the request. */
function refused(text: ByteString, status: number, options: MeetOptions = {}): void {
  for (const protocol of ['udp', 'tcp'] as const) {
    const { statuses, answer, element } = meet(text, { ...options, protocol });
    assert.deepEqual(statuses, [status], protocol);
    assert.deepEqual([element.requests.length, element.invites.length], [0, 0]);
    const sent = parseMessage(text);
    const { headers } = (sent.message ?? sent.problem?.request)!;
    for (const name of ['Call-ID', 'From', 'CSeq'])
      assert.equal(answer?.headers.get(name), headers.get(name), name);
    assert.match(answer?.headers.get('To') ?? '', /;tag=/);
  }
}

function dropped(text: ByteString): void {
  for (const protocol of ['udp', 'tcp'] as const) {
    const { statuses, element } = meet(text, { protocol });
    assert.deepEqual(statuses, []);
    const { malformed, strayResponses } = element.ua.counters;
    assert.equal(malformed + strayResponses, 1, 'what is dropped is counted');
  }
}

describe('RFC 4475 §3.1.2: invalid messages', () => {
  it('RFC 4475 §3.1.2.1 badinv01: a Via of separators only is refused with 400', () => {
    refused(read('3.1.2.1-badinv01'), 400);
  });

  it('RFC 4475 §3.1.2.2 clerr: a datagram shorter than its Content-Length is refused with 400', () => {
    const text = read('3.1.2.2-clerr');
    assert.equal(parseMessage(text).problem?.status, 400);
    refused(text, 400);
  });

  it('RFC 4475 §3.1.2.2 clerr: a stream waits for the rest, and then delivers the message', () => {
    const text = read('3.1.2.2-clerr');
    const framer = createStreamFramer();
    assert.deepEqual(framer.push(text), []);
    assert.equal(
      framer.buffered,
      text.length,
      'a connection closes when a message that has begun does not end in time',
    );
    const present = text.length - text.indexOf('\r\n\r\n') - 4;
    const [frame] = framer.push('x'.repeat(9999 - present));
    assert.equal(frame?.kind, 'message');
  });

  it('RFC 4475 §3.1.2.3 ncl: a negative Content-Length, or one in words, is refused with 400', () => {
    const text = read('3.1.2.3-ncl');
    refused(text, 400);
    refused(text.replace('-999', 'five'), 400);
  });

  it('RFC 4475 §3.1.2.3 ncl: in a stream it cannot be framed, so the stream breaks', () => {
    for (const text of [read('3.1.2.3-ncl'), read('3.1.2.3-ncl').replace('-999', 'five')]) {
      const [frame, ...more] = createStreamFramer().push(text);
      assert.deepEqual([frame?.kind, more], ['broken', []]);
      // The faulty message is answered before the connection closes.
      assert.ok(frame?.kind === 'broken' && frame.text !== undefined);
      assert.deepEqual(meet(frame.text, { protocol: 'tcp' }).statuses, [400]);
    }
  });

  it('RFC 4475 §3.1.2.4 scalar02: a CSeq above 2^32 is refused with 400', () => {
    const text = read('3.1.2.4-scalar02');
    refused(text, 400);
    const valid = text.replace('Max-Forwards: 300', 'Max-Forwards: 70');
    assert.match(parseMessage(valid).problem?.sentence ?? '', /^CSeq is not a number/);
  });

  it('RFC 4475 §3.1.2.4 scalar02: expiries that are too large count as the default', () => {
    const expiriesAlone = read('3.1.2.4-scalar02')
      .replace('Max-Forwards: 300', 'Max-Forwards: 70')
      .replace('36893488147419103232', '1');
    const registrar = createRegistrar();
    const { answer } = meet(expiriesAlone, { protocol: 'tcp', prepare: registrar.serve });
    assert.equal(answer?.status, 200);
    assert.match(answer.headers.get('Contact') ?? '', /;expires=3600/);
  });

  it('RFC 4475 §3.1.2.5 scalarlg: a response with a CSeq above 2^32 is dropped', () => {
    dropped(read('3.1.2.5-scalarlg'));
  });

  it('RFC 4475 §3.1.2.6 quotbal: a display name whose quote never closes is refused with 400', () => {
    const text = read('3.1.2.6-quotbal');
    refused(text, 400);
    const tempting = '"Mr J. User <sip:j.user@example.com> <sip:realj@example.net>';
    refused(text.replace('"Mr. J. User <sip:j.user@example.com>', tempting), 400);
  });

  it('RFC 4475 §3.1.2.7 ltgtruri: a Request-URI in angle brackets is refused with 400', () => {
    refused(read('3.1.2.7-ltgtruri'), 400);
  });

  it('RFC 4475 §3.1.2.8 lwsruri: a Request-URI with a space is refused with 400', () => {
    refused(read('3.1.2.8-lwsruri'), 400);
  });

  it('RFC 4475 §3.1.2.9 lwsstart: a request line with extra spaces is refused with 400', () => {
    refused(read('3.1.2.9-lwsstart'), 400);
  });

  it('RFC 4475 §3.1.2.10 trws: a request line with spaces at its end is refused with 400', () => {
    refused(read('3.1.2.10-trws'), 400);
  });

  it('RFC 4475 §3.1.2.11 escruri: headers in the Request-URI are refused with 400 and never become headers', () => {
    const text = read('3.1.2.11-escruri');
    const { uri, headers } = wellFormedRequest(text);
    assert.deepEqual(parseSipUri(uri)?.headers, [{ name: 'route', value: '<sip:example.com>' }]);
    assert.equal(headers.has('Route'), false);
    refused(text, 400);
  });

  it('RFC 4475 §3.1.2.12 baddate: an invalid Date is accepted', () => {
    const text = read('3.1.2.12-baddate');
    assert.equal(wellFormedRequest(text).headers.get('Date'), 'Fri, 01 Jan 2010 16:00:00 EST');
    const { statuses, element } = meet(text);
    assert.deepEqual(statuses, [486]);
    assert.equal(element.invites.length, 1);
  });

  it('RFC 4475 §3.1.2.13 regbadct: a Contact with a header and without brackets is refused with 400', () => {
    const text = read('3.1.2.13-regbadct');
    const registrar = createRegistrar();
    assert.deepEqual(meet(text, { prepare: registrar.serve }).statuses, [400]);
    assert.deepEqual(registrar.bindings(), []);
  });

  it('RFC 4475 §3.1.2.14 badaspec: spaces inside the brackets of To are refused with 400', () => {
    refused(read('3.1.2.14-badaspec'), 400);
  });

  it('RFC 4475 §3.1.2.15 baddn: a comma in a display name without quotes is refused with 400', () => {
    const text = read('3.1.2.15-baddn');
    refused(text, 400);
    // The RFC's archive has it without the empty line at the end, which is an error too.
    assert.equal(parseMessage(text.slice(0, -2)).problem?.status, 400);
  });

  it('RFC 4475 §3.1.2.16 badvers: a request of SIP/7.0 is refused with 505, at the target of its Via of SIP/7.0', () => {
    const text = read('3.1.2.16-badvers');
    refused(text, 505);
    assert.match(meet(text).answer?.headers.get('Via') ?? '', /^SIP\/7\.0\/UDP c\.example\.com;/);
  });

  it('RFC 4475 §3.1.2.17 mismatch01: a different method in CSeq than in the request line is refused with 400', () => {
    refused(read('3.1.2.17-mismatch01'), 400);
  });

  it('RFC 4475 §3.1.2.18 mismatch02: with an unknown method the same is refused with 501', () => {
    const text = read('3.1.2.18-mismatch02');
    assert.equal(parseMessage(text).problem?.status, 400);
    refused(text, 501);
    assert.ok(meet(text).answer?.headers.all('Allow').includes('INVITE'));
  });

  it('RFC 4475 §3.1.2.19 bigcode: a response with a status above 699 is dropped', () => {
    dropped(read('3.1.2.19-bigcode'));
  });
});
