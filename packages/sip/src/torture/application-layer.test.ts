import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createDigestServer } from '../auth/digest-server.ts';
import { createNonces } from '../auth/nonces.ts';
import type { ByteString } from '../message/message.ts';
import { parseNameAddr } from '../message/name-addr.ts';
import { parseMessage } from '../message/parse-message.ts';
import { parseSipUri } from '../message/uri.ts';
import { parseVia } from '../message/via.ts';
import { createStreamFramer } from '../transport/stream-framer.ts';
import { createMemoryLink, recordingListener } from '../user-agent/testing/memory-link.ts';
import { meet, wellFormed, wellFormedRequest } from './testing/meet.ts';
import { createRegistrar } from './testing/registrar.ts';

const read = (name: string): ByteString =>
  readFileSync(new URL(`rfc4475/${name}.dat`, import.meta.url), 'latin1');

describe('RFC 4475 §3.2: transaction layer', () => {
  it('RFC 4475 §3.2.1 badbranch: a branch of the magic cookie alone falls back to the rules of RFC 2543', () => {
    const text = read('3.2.1-badbranch');
    assert.equal(parseVia(wellFormed(text).headers.get('Via')!)?.branch, 'z9hG4bK');
    const link = createMemoryLink();
    link.bob.onRequest = (incoming) => incoming.reply(200);
    // A repetition is recognised, and another request with the same branch is a new one.
    const other = text.replace('CSeq: 8', 'CSeq: 9');
    for (const each of [text, text, other]) link.inject('bob', each);
    assert.equal(link.bob.requests.length, 2);
    assert.deepEqual(link.bob.sent, Array(3).fill('SIP/2.0 200 OK'));
    link.alice.ua.close();
    link.clock.advance(60_000);
    assert.equal(link.bob.ua.census().transactions, 0);
  });
});

describe('RFC 4475 §3.3: application layer', () => {
  it('RFC 4475 §3.3.1 insuf: a request without Call-ID, From and To is refused with 400', () => {
    const { answer, element } = meet(read('3.3.1-insuf'));
    assert.equal(answer?.status, 400);
    assert.equal(answer.headers.get('CSeq'), '193942 INVITE');
    assert.match(answer.headers.get('Via') ?? '', /branch=z9hG4bKkdj\.insuf/);
    assert.equal(element.invites.length, 0);
  });

  it('RFC 4475 §3.3.2 unkscm: a Request-URI of an unknown scheme gets 416, whatever To says', () => {
    const text = read('3.3.2-unkscm');
    assert.equal(wellFormedRequest(text).uri, 'nobodyKnowsThisScheme:totallyopaquecontent');
    const { statuses, element } = meet(text, { protocol: 'tcp' });
    assert.deepEqual([statuses, element.requests.length], [[416], 0]);
  });

  it('RFC 4475 §3.3.3 novelsc: a Request-URI of a scheme that we never accept gets 416', () => {
    const text = read('3.3.3-novelsc');
    assert.equal(wellFormedRequest(text).uri, 'soap.beep://192.0.2.103:3002');
    assert.deepEqual(meet(text, { protocol: 'tcp' }).statuses, [416]);
  });

  it('RFC 4475 §3.3.4 unksm2: a REGISTER whose To is not a SIP URI is well formed, and refused with 400', () => {
    const text = read('3.3.4-unksm2');
    const { headers } = wellFormedRequest(text);
    assert.equal(parseNameAddr(headers.get('To')!)?.uri, 'isbn:2983792873');
    assert.equal(parseNameAddr(headers.get('From')!)?.uri, 'http://www.example.com');
    assert.equal(parseNameAddr(headers.get('Contact')!)?.uri, 'name:John_Smith');
    const registrar = createRegistrar();
    assert.deepEqual(meet(text, { prepare: registrar.serve }).statuses, [400]);
    assert.deepEqual(registrar.bindings(), []);
    // Elements other than registrars accept such URIs.
    assert.deepEqual(meet(text.replaceAll('REGISTER', 'OPTIONS')).statuses, [200]);
  });

  it('RFC 4475 §3.3.5 bext01: unsupported features get 420, and Unsupported names those of Require', () => {
    const text = read('3.3.5-bext01');
    const { answer, element } = meet(text);
    assert.equal(answer?.status, 420);
    assert.deepEqual(answer.headers.all('Unsupported'), ['nothingSupportsThis', 'nothingSupportsThisEither']);
    assert.equal(element.requests.length, 0);
    // Endpoints ignore Proxy-Require (RFC 3261 §20.29).
    const forProxies = text.replace(/^Require.*\r\n/m, '');
    assert.deepEqual(meet(forProxies).statuses, [200]);
  });

  it('RFC 4475 §3.3.6 invut: an INVITE with a body of unknown type gets 415, and Accept names the known types', () => {
    const text = read('3.3.6-invut');
    assert.equal(wellFormedRequest(text).body.length, 40);
    const { answer, element } = meet(text);
    assert.equal(answer?.status, 415);
    assert.deepEqual(answer.headers.all('Accept'), ['application/sdp']);
    assert.equal(element.invites.length, 0);
  });

  it('RFC 3261 §20.11: an optional body of unknown type is ignored', () => {
    const optional = 'Content-Disposition: session;handling=optional\r\nContent-Type: ';
    const { statuses, element } = meet(read('3.3.6-invut').replace('Content-Type: ', optional));
    assert.deepEqual(statuses, [486]);
    assert.equal(element.invites[0]?.request.body, '');
  });

  it('RFC 3261 §8.2.3: a body in an unknown encoding gets 415 with Accept-Encoding', () => {
    const { answer } = meet(
      read('3.3.15-sdp01').replace('Accept: text/nobodyKnowsThis', 'Content-Encoding: gzip'),
    );
    assert.deepEqual([answer?.status, answer?.headers.get('Accept-Encoding')], [415, 'identity']);
  });

  it('RFC 4475 §3.3.7 regaut01: an unknown Authorization scheme is ignored', () => {
    const text = read('3.3.7-regaut01');
    assert.equal(
      wellFormedRequest(text).headers.get('Authorization'),
      'NoOneKnowsThisScheme opaque-data=here',
    );
    // A registrar without authentication accepts it.
    const open = meet(text, { protocol: 'tcp', prepare: createRegistrar().serve });
    assert.deepEqual(open.statuses, [200]);
    // One with authentication challenges with its own scheme.
    const hash = (algorithm: 'MD5' | 'SHA-256', of: string): string =>
      createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
        .update(of, 'latin1')
        .digest('hex');
    const equals = (left: string, right: string): boolean => left === right;
    const nonces = createNonces({ sign: (of) => hash('SHA-256', of), equals });
    const digest = createDigestServer({ realm: 'example.com', hash, equals, nonces, decoySecret: 'x' });
    const strict = meet(text, { protocol: 'tcp', prepare: createRegistrar(digest).serve });
    assert.equal(strict.answer?.status, 401);
    assert.match(strict.answer.headers.get('WWW-Authenticate') ?? '', /^Digest realm="example\.com"/);
    // An endpoint other than a registrar refuses it.
    assert.deepEqual(meet(text, { protocol: 'tcp', deps: { methods: ['OPTIONS'] } }).statuses, [405]);
  });

  it('RFC 4475 §3.3.8 multi01: repeated fields that may appear only once are refused with 400', () => {
    const { statuses, element } = meet(read('3.3.8-multi01'));
    assert.deepEqual([statuses, element.invites.length], [[400], 0]);
    const options = read('3.3.9-mcl01').replace(/\r\nContent-Length[\s\S]*$/i, '');
    for (const [name, one, other] of [
      ['Expires', '300', '0'],
      ['Refer-To', '<sip:a@example.com>', '<sip:b@example.com>'],
      ['Session-Expires', '1800', '90'],
      ['x', '1800', '90'],
      ['Min-SE', '90', '1800'],
      ['RAck', '1 1 INVITE', '2 1 INVITE'],
    ] as const) {
      const fields = (values: readonly string[]) => values.map((value) => `\r\n${name}: ${value}`).join('');
      const end = '\r\nContent-Length: 0\r\n\r\n';
      assert.notDeepEqual(meet(options + fields([one]) + end).statuses, [400], name);
      assert.deepEqual(meet(options + fields([one, other]) + end).statuses, [400], name);
    }
  });

  it('RFC 4475 §3.3.9 mcl01: two Content-Length fields are refused with 400 and break a stream', () => {
    const text = read('3.3.9-mcl01');
    assert.deepEqual(meet(text).statuses, [400]);
    const [frame, ...more] = createStreamFramer().push(text);
    assert.ok(frame?.kind === 'broken' && frame.text !== undefined);
    assert.deepEqual(more, []);
    assert.deepEqual(meet(frame.text, { protocol: 'tcp' }).statuses, [400]);
    const equalOnes = text.replace('Content-Length: 5', 'Content-Length: 13');
    assert.equal(createStreamFramer().push(equalOnes)[0]?.kind, 'broken');
  });

  it('RFC 4475 §3.3.10 bcast: a response with a second Via is dropped, even when the first is ours', () => {
    const text = read('3.3.10-bcast');
    assert.equal(wellFormed(text).headers.all('Via').length, 2);
    // Our INVITE has the branch of the message.
    const link = createMemoryLink({}, { token: () => '1324923' });
    const log = recordingListener();
    const content = { body: 'v=0', contentType: 'application/sdp' };
    const party = { from: '<sip:user@example.com>', to: '<sip:user@example.edu>', content };
    link.bob.drop = link.alice.drop = () => true;
    link.alice.ua.invite({ targets: [{ uri: 'sip:user@10.0.0.2' }], ...party }, log);
    link.inject('alice', text);
    assert.deepEqual(log.log, []);
    assert.equal(link.alice.ua.counters.strayResponses, 1);
    // With our Via only, the same response is accepted.
    link.inject('alice', text.replace(/Via: SIP\/2\.0\/UDP 255.*\r\n/, ''));
    assert.match(log.log[0] ?? '', /^answered v=0/);
    assert.ok(!link.alice.texts.some((sent) => sent.includes('255.255.255.255')));
    link.alice.ua.close();
    link.bob.ua.close();
  });

  it('RFC 4475 §3.3.11 zeromf: an endpoint serves a request whose Max-Forwards is 0', () => {
    const { statuses, element } = meet(read('3.3.11-zeromf'));
    assert.deepEqual([statuses, element.requests.length], [[200], 1]);
  });

  it('RFC 4475 §3.3.12 cparam01: a parameter after a Contact without brackets does not belong to its URI', () => {
    const text = read('3.3.12-cparam01');
    const registrar = createRegistrar();
    const { answer } = meet(text, { prepare: registrar.serve });
    assert.equal(answer?.status, 200);
    assert.equal(registrar.bindings()[0]?.contact, 'sip:+19725552222@gw1.example.net');
    assert.match(answer.headers.get('Contact') ?? '', /^<sip:\+19725552222@gw1\.example\.net>;expires=/);
    assert.match(fetched(text, registrar) ?? '', /^<sip:\+19725552222@gw1\.example\.net>;expires=/);
  });

  it('RFC 4475 §3.3.13 cparam02: a parameter of the URI in a Contact stays with it', () => {
    const text = read('3.3.13-cparam02');
    const registrar = createRegistrar();
    assert.deepEqual(meet(text, { prepare: registrar.serve }).statuses, [200]);
    assert.match(
      fetched(text, registrar) ?? '',
      /^<sip:\+19725552222@gw1\.example\.net;unknownparam>;expires=/,
    );
  });

  it('RFC 4475 §3.3.14 regescrt: an escaped header in a Contact URI stays with it', () => {
    const text = read('3.3.14-regescrt');
    const registrar = createRegistrar();
    assert.deepEqual(meet(text, { prepare: registrar.serve }).statuses, [200]);
    const contact = parseNameAddr(fetched(text, registrar) ?? '');
    assert.equal(contact?.uri, 'sip:user@example.com?Route=%3Csip:sip.example.com%3E');
    assert.deepEqual(parseSipUri(contact.uri)?.headers, [{ name: 'route', value: '<sip:sip.example.com>' }]);
  });

  it('RFC 4475 §3.3.15 sdp01: an INVITE that does not accept SDP gets 406 with a Warning', () => {
    const { answer, element } = meet(read('3.3.15-sdp01'));
    assert.equal(answer?.status, 406);
    assert.match(answer.headers.get('Warning') ?? '', /^399 /);
    assert.equal(element.invites.length, 0);
    for (const range of ['application/sdp;level=1', 'text/x, Application/*', '*/*']) {
      const { statuses } = meet(read('3.3.15-sdp01').replace('text/nobodyKnowsThis', range));
      assert.deepEqual(statuses, [486], range);
    }
  });
});

/** The only Contact in the answer to a later REGISTER without any. */
function fetched(text: ByteString, registrar: ReturnType<typeof createRegistrar>): string | undefined {
  const fetch = text.replace(/^(?:Contact|M): .*\r\n/m, '').replace(/^CSeq: (\d+)/m, 'CSeq: 1$1');
  assert.ok(parseMessage(fetch).message);
  const contacts = meet(fetch, { prepare: registrar.serve }).answer?.headers.all('Contact') ?? [];
  assert.equal(contacts.length, 1);
  return contacts[0];
}

describe('RFC 4475 §3.4: backward compatibility', () => {
  it('RFC 4475 §3.4.1 inv2543: an INVITE without branch, From tag, Contact, Content-Length and Max-Forwards rings', () => {
    const text = read('3.4.1-inv2543');
    const { headers, body } = wellFormedRequest(text);
    for (const name of ['Contact', 'Content-Length', 'Max-Forwards']) assert.equal(headers.has(name), false);
    assert.equal(body.length, 105);
    const link = createMemoryLink();
    const log = recordingListener();
    link.alice.ua.close();
    link.bob.onInvite = (invite) => {
      invite.listen(log);
      invite.ring();
      invite.accept({ body: 'v=0', contentType: 'application/sdp' });
    };
    link.inject('bob', text);
    link.inject('bob', text);
    assert.equal(link.bob.invites.length, 1, 'a repetition is known as one');
    assert.equal(link.bob.invites[0]?.request.body, body);
    const answer = wellFormed(link.bob.texts.at(-1)!);
    const to = answer.headers.get('To')!;
    const { uri } = wellFormedRequest(text);
    const ack = text
      .replace(`INVITE ${uri}`, `ACK ${uri}`)
      .replace('56 INVITE', '56 ACK')
      .replace(/^To: .*$/m, `To: ${to}`);
    link.inject('bob', ack.slice(0, ack.indexOf('\r\n\r\n') + 4));
    assert.deepEqual(log.log, ['acknowledged']);
    // RFC 3261 §12.1.1: the From tag of the dialog is empty. Its requests go to the Record-Route, and to the From URI.
    link.bob.invites[0]?.hangUp();
    const bye = wellFormedRequest(link.bob.texts.at(-1)!);
    assert.equal(bye.method, 'BYE');
    assert.equal(bye.uri, 'sip:UserB@example.com;maddr=ss1.example.com');
    assert.deepEqual(bye.headers.all('Route'), ['<sip:+13035551111@ift.client.example.net;user=phone>']);
    link.bob.ua.close();
  });
});
