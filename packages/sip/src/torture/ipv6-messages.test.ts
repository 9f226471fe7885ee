import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { addressOfHost } from '../message/host.ts';
import type { ByteString } from '../message/message.ts';
import { parseNameAddr } from '../message/name-addr.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri } from '../message/uri.ts';
import { parseVia, responseTarget } from '../message/via.ts';
import { routeOfUri } from '../user-agent/send-target.ts';
import { meet, wellFormedRequest } from './testing/meet.ts';
import { createRegistrar } from './testing/registrar.ts';

const read = (name: string): ByteString =>
  readFileSync(new URL(`rfc5118/${name}.dat`, import.meta.url), 'latin1');
const viasOf = (text: ByteString) =>
  wellFormedRequest(text)
    .headers.all('Via')
    .map((value) => parseVia(value)!);
const contactOf = (text: ByteString) =>
  parseSipUri(parseNameAddr(wellFormedRequest(text).headers.get('Contact')!)!.uri)!;

// The archive of RFC 5118 ends lines with LF only, and its lengths of bodies fit no line ending. The files here are
// the wire form: CRLF, and the Content-Length of their body (§4.6: 251 for 268, §4.8: 189 for 181, §4.9: 245 for 236).
describe('RFC 5118 §4: IPv6', () => {
  it('RFC 5118 §4.1 ipv6-good: IPv6 references in Request-URI, Via and Contact are well formed', () => {
    const text = read('4.1-ipv6-good');
    const { uri } = wellFormedRequest(text);
    assert.deepEqual([parseSipUri(uri)?.host, parseSipUri(uri)?.port], ['[2001:db8::10]', undefined]);
    assert.equal(viasOf(text)[0]?.host, '[2001:db8::9:1]');
    const registrar = createRegistrar();
    assert.deepEqual(meet(text, { prepare: registrar.serve }).statuses, [200]);
    assert.equal(registrar.bindings()[0]?.contact, 'sip:caller@[2001:db8::1]');
  });

  it('RFC 5118 §4.2 ipv6-bad: an IPv6 address without brackets in the Request-URI is refused with 400', () => {
    const text = read('4.2-ipv6-bad');
    assert.equal(parseSipUri(wellFormedRequest(text).uri), undefined);
    const { statuses, element } = meet(text);
    assert.deepEqual([statuses, element.requests.length], [[400], 0]);
  });

  it('RFC 5118 §4.3 port-ambiguous: an apparent port inside the brackets belongs to the address', () => {
    const text = read('4.3-port-ambiguous');
    const uri = parseSipUri(wellFormedRequest(text).uri);
    assert.deepEqual([uri?.host, uri?.port], ['[2001:db8::10:5070]', undefined]);
    assert.deepEqual(meet(text).statuses, [200]);
  });

  it('RFC 5118 §4.4 port-unambiguous: a port after the brackets is the port', () => {
    const text = read('4.4-port-unambiguous');
    const uri = parseSipUri(wellFormedRequest(text).uri);
    assert.deepEqual([uri?.host, uri?.port], ['[2001:db8::10]', 5070]);
    assert.deepEqual(meet(text).statuses, [200]);
  });

  it('RFC 5118 §4.5 via-received-param-with-delim: a received in brackets equals one without', () => {
    const text = read('4.5-via-received-param-with-delim');
    const [via] = viasOf(text);
    assert.equal(paramOf(via!.params, 'received'), '[2001:db8::9:255]');
    assert.equal(responseTarget(via!).host, '2001:db8::9:255');
    // 481 to a BYE without a dialog (RFC 3261 §15.1.2) shows that it was parsed.
    assert.deepEqual(meet(text).statuses, [481]);
  });

  it('RFC 5118 §4.5 via-received-param-no-delim: a received without brackets follows the grammar', () => {
    const text = read('4.5-via-received-param-no-delim');
    const [via] = viasOf(text);
    assert.equal(paramOf(via!.params, 'received'), '2001:db8::9:255');
    assert.equal(responseTarget(via!).host, '2001:db8::9:255');
    assert.deepEqual(meet(text).statuses, [200]);
  });

  it('RFC 5118 §4.6 ipv6-in-sdp: addresses in SDP have no brackets, and the body stays unchanged', () => {
    const text = read('4.6-ipv6-in-sdp');
    assert.equal(contactOf(text).host, '[2001:db8::20]');
    const { statuses, element } = meet(text);
    assert.deepEqual(statuses, [486]);
    assert.match(element.invites[0]!.request.body, /\r\nc=IN IP6 2001:db8::20\r\n/);
    assert.equal(element.invites[0]!.request.body.length, 251);
  });

  it('RFC 5118 §4.7 mult-ip-in-header: one list of Vias may have IPv4 and IPv6', () => {
    const text = read('4.7-mult-ip-in-header');
    assert.deepEqual(
      viasOf(text).map((via) => [via.transport, via.host, via.port, paramOf(via.params, 'received')]),
      [
        ['UDP', '[2001:db8::9:1]', 6050, undefined],
        ['UDP', '192.0.2.1', undefined, undefined],
        ['TCP', '[2001:db8::9:255]', undefined, '192.0.2.200'],
      ],
    );
    const { answer } = meet(text);
    assert.deepEqual([answer?.status, answer?.headers.all('Via').length], [481, 3]);
  });

  it('RFC 5118 §4.8 mult-ip-in-sdp: the media of one SDP may have addresses of both families', () => {
    const { statuses, element } = meet(read('4.8-mult-ip-in-sdp'));
    assert.deepEqual(statuses, [486]);
    const { body } = element.invites[0]!.request;
    assert.deepEqual(body.match(/c=[^\r]*/g), ['c=IN IP4 192.0.2.1', 'c=IN IP6 2001:db8::1']);
  });

  it('RFC 5118 §4.9 ipv4-mapped-ipv6: IPv4-mapped addresses are accepted', () => {
    const text = read('4.9-ipv4-mapped-ipv6');
    assert.deepEqual(
      viasOf(text).map((via) => [via.host, via.port]),
      [
        ['[::ffff:192.0.2.10]', 19823],
        ['[::ffff:192.0.2.2]', undefined],
      ],
    );
    assert.equal(contactOf(text).host, '[::ffff:192.0.2.2]');
    assert.deepEqual(meet(text).statuses, [486]);
  });

  it('RFC 5118 §4.10 ipv6-bug-abnf-3-colons: a third colon is tolerated and ignored', () => {
    const text = read('4.10-ipv6-bug-abnf-3-colons');
    const { uri } = wellFormedRequest(text);
    assert.deepEqual([parseSipUri(uri)?.user, parseSipUri(uri)?.host], ['user', '[2001:db8:::192.0.2.1]']);
    assert.equal(addressOfHost(parseSipUri(uri)!.host), '2001:db8::192.0.2.1');
    assert.deepEqual(routeOfUri(uri)?.target, { protocol: 'udp', host: '2001:db8::192.0.2.1', port: 5060 });
    assert.deepEqual(meet(text).statuses, [200]);
  });

  it('RFC 5118 §4.10 ipv6-correct-abnf-2-colons: two colons are accepted', () => {
    const text = read('4.10-ipv6-correct-abnf-2-colons');
    assert.equal(parseSipUri(wellFormedRequest(text).uri)?.host, '[2001:db8::192.0.2.1]');
    assert.deepEqual(meet(text).statuses, [200]);
  });
});
