import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRequest } from './create-request.ts';
import { parseVia, printVia, responseTarget, stampReceived } from './via.ts';

const stamped = (via: string, address = '198.51.100.7', port = 40_000): string | undefined => {
  const request = createRequest({
    method: 'OPTIONS',
    uri: 'sip:b',
    via,
    from: '<sip:a>',
    to: '<sip:b>',
    callId: 'c',
    cseq: 1,
  });
  request.headers.append('Via', 'SIP/2.0/TCP next.example');
  stampReceived(request, address, port);
  assert.equal(request.headers.all('Via').at(-1), 'SIP/2.0/TCP next.example');
  return request.headers.get('Via');
};

describe('parseVia', () => {
  it('allows spaces where the grammar does (RFC 4475 §3.1.1.1)', () => {
    const via = parseVia(
      'SIP / 2.0 / UDP first.example.com: 4000;ttl=16 ;maddr=224.2.0.1 ; branch = z9hG4bKa7c6a8dlze.1',
    );
    assert.deepEqual(
      [via?.transport, via?.host, via?.port, via?.branch],
      ['UDP', 'first.example.com', 4000, 'z9hG4bKa7c6a8dlze.1'],
    );
  });

  it('refuses a malformed Via', () => {
    const bad = [
      '',
      'x',
      'SIP/2.0/UDP',
      'SIP/2.0/ a',
      'SIP/x/UDP a',
      'HTTP/1.1/TCP a',
      'SIP/2.0/UDP a:b',
      'SIP/2.0/UDP a:70000',
      'SIP/2.0/UDP a b',
      'SIP/2.0/UDP [::1;x',
      'SIP/2.0/UDP a;b="',
    ];
    for (const text of bad) assert.equal(parseVia(text), undefined, text);
  });

  it('prints a parsed Via to an equal one', () => {
    for (const text of [
      'SIP/2.0/TCP [2001:db8::1]:5070;rport;branch=z9hG4bK1',
      // A request of another version gets 505 at the target of its Via (RFC 4475 §3.1.2.16).
      'SIP/7.0/UDP c.example.com;branch=z9hG4bK1',
    ])
      assert.equal(printVia(parseVia(text)!), text);
  });
});

describe('stampReceived', () => {
  it('adds received when sent-by is not the source (RFC 3261 §18.2.1)', () => {
    assert.equal(
      stamped('SIP/2.0/UDP a.example;branch=x'),
      'SIP/2.0/UDP a.example;branch=x;received=198.51.100.7',
    );
    assert.equal(stamped('SIP/2.0/UDP 198.51.100.7;branch=x'), 'SIP/2.0/UDP 198.51.100.7;branch=x');
    assert.equal(stamped('SIP/2.0/UDP [2001:db8::1]', '2001:db8::1'), 'SIP/2.0/UDP [2001:db8::1]');
  });

  it('fills rport and always adds received with it (RFC 3581 §4)', () => {
    assert.equal(
      stamped('SIP/2.0/UDP 198.51.100.7:5060;rport;branch=x'),
      'SIP/2.0/UDP 198.51.100.7:5060;rport=40000;branch=x;received=198.51.100.7',
    );
  });

  it('replaces a received of the sender, so that responses cannot be aimed at a third party', () => {
    assert.equal(
      stamped('SIP/2.0/UDP 198.51.100.7;received=203.0.113.9'),
      'SIP/2.0/UDP 198.51.100.7;received=198.51.100.7',
    );
  });

  it('leaves a malformed Via alone', () => assert.equal(stamped('garbage'), 'garbage'));
});

describe('responseTarget', () => {
  const target = (text: string) => responseTarget(parseVia(text)!);

  it('prefers received and rport over sent-by on UDP', () => {
    assert.deepEqual(target('SIP/2.0/UDP a:5070;received=192.0.2.1;rport=6000'), {
      protocol: 'udp',
      host: '192.0.2.1',
      port: 6000,
    });
    assert.deepEqual(target('SIP/2.0/UDP a:5070;received=192.0.2.1;rport'), {
      protocol: 'udp',
      host: '192.0.2.1',
      port: 5070,
    });
    assert.deepEqual(target('SIP/2.0/UDP [2001:db8::1]'), {
      protocol: 'udp',
      host: '2001:db8::1',
      port: 5060,
    });
  });

  it('the target of a new connection is the port of sent-by, not that of the closed one (RFC 3261 §18.2.2)', () => {
    assert.deepEqual(target('SIP/2.0/TCP a:5070;received=192.0.2.1;rport=6000'), {
      protocol: 'tcp',
      host: '192.0.2.1',
      port: 5070,
    });
    assert.deepEqual(target('SIP/2.0/TLS a'), { protocol: 'tls', host: 'a', port: 5061 });
  });

  it('does not follow maddr', () => assert.equal(target('SIP/2.0/UDP a;maddr=203.0.113.1').host, 'a'));
});
