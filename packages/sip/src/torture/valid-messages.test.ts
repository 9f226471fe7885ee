import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseNameAddr } from '../message/name-addr.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri } from '../message/uri.ts';
import { decodeUtf8 } from '../message/utf8.ts';
import { parseVia } from '../message/via.ts';
import { meet, wellFormed, wellFormedRequest } from './testing/meet.ts';
import { createRegistrar } from './testing/registrar.ts';

const read = (name: string): string =>
  readFileSync(new URL(`rfc4475/${name}.dat`, import.meta.url), 'latin1');
const addressIn = (value: string | undefined) => parseNameAddr(value ?? '')!;
const uriIn = (value: string | undefined) => parseSipUri(addressIn(value).uri)!;

describe('RFC 4475 §3.1.1: valid messages', () => {
  it('RFC 4475 §3.1.1.1 wsinv: folds, spaces, odd case, compact forms and unknown fields are well formed', () => {
    const text = read('3.1.1.1-wsinv');
    const { method, uri, headers, body } = wellFormedRequest(text);
    assert.deepEqual([method, uri], ['INVITE', 'sip:vivekg@chair-dnrc.example.com;unknownparam']);
    assert.deepEqual(parseSipUri(uri)?.params, [{ name: 'unknownparam', value: undefined }]);
    assert.equal(headers.get('Max-Forwards'), '0068');
    assert.equal(headers.get('Subject'), '');
    assert.equal(headers.get('NewFangledHeader'), 'newfangled value continued newfangled value');
    assert.equal(headers.get('UnknownHeaderWithUnusualValue'), ';;,,;;,;');
    assert.deepEqual(
      [addressIn(headers.get('From')).displayName, addressIn(headers.get('From')).tag],
      ['J Rosenberg \\"', '98asjd8'],
    );
    assert.equal(addressIn(headers.get('To')).tag, '1918181833n');
    assert.deepEqual(
      headers.all('Via').map((value) => {
        const via = parseVia(value);
        return [via?.transport, via?.host, via?.branch];
      }),
      [
        ['UDP', '192.0.2.2', '390skdjuw'],
        ['TCP', 'spindle.example.com', 'z9hG4bK9ikj8'],
        ['UDP', '192.168.255.111', 'z9hG4bK30239'],
      ],
    );
    const contact = addressIn(headers.get('Contact'));
    assert.equal(contact.displayName, 'Quoted string ""');
    assert.deepEqual(contact.params, [
      { name: 'newparam', value: 'newvalue' },
      { name: 'secondparam', value: undefined },
      { name: 'q', value: '0.33' },
    ]);
    assert.equal(uriIn(headers.get('Route')).host, 'services.example.com');
    assert.equal(body.length, 150);
    // RFC 3261 §12.2.2: it is well formed and names an unknown dialog. Without its To tag it rings.
    assert.deepEqual(meet(text).statuses, [481]);
    assert.deepEqual(meet(text.replace(';   tag    = 1918181833n', '')).statuses, [486]);
  });

  it('RFC 4475 §3.1.1.2 intmeth: a method of unusual characters is valid; endpoints answer 501 with Allow', () => {
    const text = read('3.1.1.2-intmeth');
    const { method, uri, headers } = wellFormedRequest(text);
    assert.equal(method, "!interesting-Method0123456789_*+`.%indeed'~");
    const target = parseSipUri(uri)!;
    assert.equal(target.user, "1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*");
    assert.equal(target.password, "&it+has=1,weird!*pas$wo~d_too.(doesn't-it)");
    assert.equal(addressIn(headers.get('To')).displayName, 'BEL:\x07 NUL:\0 DEL:\x7f');
    const from = addressIn(headers.get('From'));
    assert.equal(from.displayName, "token1~` token2'+_ token3*%!.-");
    assert.equal(decodeUtf8(paramOf(from.params, "fromparam''~+*_!.-%")!), '"работающий"');
    assert.equal(from.tag, "_token~1'+`*%!-.");
    assert.equal(headers.get('Call-ID'), `intmeth.word%ZK-!.*_+'@word\`~)(><:\\/"][?}{`);
    assert.equal(decodeUtf8(headers.get("extensionHeader-!.%*+_`'~")!), '\ufeff大停電');
    const { answer } = meet(text, { protocol: 'tcp' });
    assert.equal(answer?.status, 501);
    assert.ok(answer.headers.all('Allow').includes('INVITE'));
    assert.ok(answer.headers.get('To')?.startsWith('"BEL:\\\x07 NUL:\\\0 DEL:\\\x7f" <'));
  });

  it('RFC 4475 §3.1.1.3 esc01: escapes in URIs are resolved once, and those elsewhere not at all', () => {
    const text = read('3.1.1.3-esc01');
    const { uri, headers } = wellFormedRequest(text);
    assert.equal(parseSipUri(uri)?.user, 'sips:user@example.com');
    assert.equal(parseSipUri(uri)?.host, 'example.net');
    assert.equal(uriIn(headers.get('To')).user, 'user');
    assert.equal(uriIn(headers.get('From')).user, 'I have spaces');
    const contact = uriIn(headers.get('Contact'));
    assert.equal(contact.user, 'caller');
    assert.deepEqual(contact.params, [
      { name: 'lr', value: undefined },
      { name: 'name', value: 'value%41' },
    ]);
    assert.deepEqual(meet(text).statuses, [486]);
  });

  it('RFC 4475 §3.1.1.4 escnull: escaped NULs do not truncate the user, and two distinct contacts are registered', () => {
    const text = read('3.1.1.4-escnull');
    const { headers } = wellFormedRequest(text);
    assert.equal(uriIn(headers.get('To')).user, 'null-\0-null');
    assert.equal(uriIn(headers.get('From')).user, 'null-\0-null');
    const registrar = createRegistrar();
    const { answer } = meet(text, { prepare: registrar.serve });
    assert.equal(answer?.status, 200);
    assert.deepEqual(
      new Set(registrar.bindings().map(({ contact }) => contact)),
      new Set(['sip:%00@host5.example.com', 'sip:%00%00@host5.example.com']),
    );
  });

  it('RFC 4475 §3.1.1.5 esc02: % is not an escape in methods, display names and header names; endpoints answer 501', () => {
    const text = read('3.1.1.5-esc02');
    const { method, headers } = wellFormedRequest(text);
    assert.equal(method, 'RE%47IST%45R');
    assert.equal(addressIn(headers.get('To')).displayName, '%Z%45');
    assert.equal(headers.all('Contact').length, 2);
    assert.equal(headers.get('C%6Fntact'), '<sip:alias2@host2.example.com>');
    assert.deepEqual(meet(text, { protocol: 'tcp' }).statuses, [501]);
  });

  it('RFC 4475 §3.1.1.6 lwsdisp: a display name without a space before < is accepted', () => {
    const text = read('3.1.1.6-lwsdisp');
    const { headers } = wellFormedRequest(text);
    assert.equal(addressIn(headers.get('From')).displayName, 'caller');
    assert.equal(addressIn(headers.get('From')).tag, '323');
    assert.deepEqual(meet(text).statuses, [200]);
  });

  it('RFC 4475 §3.1.1.7 longreq: long values and 34 Vias, the first without branch, are served', () => {
    const text = read('3.1.1.7-longreq');
    const { headers } = wellFormedRequest(text);
    const to = addressIn(headers.get('To'));
    assert.equal(to.displayName, `I have a user name of ${'extreme'.repeat(10)} proportion`);
    const { params, port } = parseSipUri(to.uri)!;
    assert.equal(port, 6000);
    assert.deepEqual(params, [
      { name: 'unknownparam1', value: `very${'long'.repeat(20)}value` },
      { name: `longparam${'name'.repeat(25)}`, value: 'shortvalue' },
      { name: `very${'long'.repeat(25)}parameternamewithnovalue`, value: undefined },
    ]);
    assert.equal(addressIn(headers.get('From')).tag, `12${'982'.repeat(50)}424`);
    assert.equal(headers.get('Call-ID'), `longreq.one${'really'.repeat(20)}longcallid`);
    const vias = headers.all('Via').map((value) => parseVia(value)!);
    assert.equal(vias.length, 34);
    assert.equal(vias[0]?.branch, undefined);
    assert.equal(vias[33]?.branch, `very${'long'.repeat(50)}branchvalue`);
    const { statuses, answer, element } = meet(text, { protocol: 'tcp' });
    assert.deepEqual(statuses, [486]);
    // RFC 3261 §8.2.6.2: the response has every Via, in the same order.
    assert.equal(answer?.headers.all('Via').length, 34);
    assert.equal(element.ua.counters.oldBranch, 1);
  });

  it('RFC 4475 §3.1.1.8 dblreq: octets after the body of a datagram are ignored (RFC 3261 §18.3)', () => {
    const text = read('3.1.1.8-dblreq');
    const { method, body } = wellFormedRequest(text);
    assert.deepEqual([method, body], ['REGISTER', '']);
    const registrar = createRegistrar();
    const { statuses, element } = meet(text, { prepare: registrar.serve });
    assert.deepEqual(statuses, [200]);
    assert.equal(registrar.bindings()[0]?.contact, 'sip:j.user@host.example.com');
    assert.equal(element.invites.length, 0);
    assert.ok(!element.texts.join().includes('joe@example.com'));
  });

  it('RFC 4475 §3.1.1.9 semiuri: a semicolon before @ belongs to the user', () => {
    const text = read('3.1.1.9-semiuri');
    const { uri, headers } = wellFormedRequest(text);
    assert.equal(parseSipUri(uri)?.user, 'user;par=u@example.net');
    assert.deepEqual([parseSipUri(uri)?.host, parseSipUri(uri)?.params], ['example.com', []]);
    assert.equal(headers.all('Accept').length, 6);
    assert.deepEqual(meet(text).statuses, [200]);
  });

  it('RFC 4475 §3.1.1.10 transports: unknown transports in the lower Vias are accepted', () => {
    const text = read('3.1.1.10-transports');
    assert.deepEqual(
      wellFormed(text)
        .headers.all('Via')
        .map((value) => parseVia(value)?.transport),
      ['UDP', 'SCTP', 'TLS', 'UNKNOWN', 'TCP'],
    );
    const { answer } = meet(text);
    assert.equal(answer?.status, 200);
    assert.equal(answer.headers.all('Via').length, 5);
  });

  it('RFC 4475 §3.1.1.11 mpart01: a binary body with NULs and bare LF characters stays unchanged', () => {
    const text = read('3.1.1.11-mpart01');
    const { headers, body } = wellFormedRequest(text);
    assert.equal(body.length, 553);
    assert.equal(text.endsWith(body), true);
    const part = body.slice(body.indexOf('\x30\x82\x01\x52'), body.lastIndexOf('\r\n--7a9c'));
    assert.equal(part.length, 342);
    assert.ok(part.includes('\0'));
    assert.match(headers.get('Content-Type')!, /^multipart\/mixed;boundary=/);
    assert.equal(headers.get('Date'), 'Sat, 15 Oct 2005 04:44:56 GMT');
    const served = meet(text, { deps: { methods: ['MESSAGE'] } });
    assert.deepEqual(served.statuses, [200]);
    assert.equal(served.element.requests[0]?.request.body, body);
    // An element without MESSAGE answers 405 (RFC 3261 §8.2.1).
    assert.deepEqual(meet(text).statuses, [405]);
  });

  it('RFC 4475 §3.1.1.12 unreason: a reason phrase of UTF-8 is accepted unchanged', () => {
    const message = wellFormed(read('3.1.1.12-unreason'));
    assert.ok(message.kind === 'response');
    assert.equal(message.status, 200);
    assert.equal(decodeUtf8(message.reason), '= 2**3 * 5**2 но сто девяносто девять - простое');
    assert.equal(message.body.length, 154);
  });

  it('RFC 4475 §3.1.1.13 noreason: an empty reason phrase is accepted, with or without the space before it', () => {
    const text = read('3.1.1.13-noreason');
    for (const each of [text, text.replace('100 ', '100')]) {
      const message = wellFormed(each);
      assert.ok(message.kind === 'response');
      assert.deepEqual([message.status, message.reason], [100, '']);
    }
  });
});
