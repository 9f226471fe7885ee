import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHeaders, type Flow, type SipRequest } from '@jackfield/sip';
import { createEdgeProxies } from './edge-proxies.ts';

const proxies = createEdgeProxies(['192.0.2.10', '2001:db8::/64']);

const flowFrom = (remoteAddress: string): Flow => ({
  id: `udp-${remoteAddress}-5060`,
  protocol: 'udp',
  reliable: false,
  remoteAddress,
  remotePort: 5060,
  localAddress: '192.0.2.11',
  localPort: 5060,
});

function requestWith(...vias: readonly string[]): SipRequest {
  const headers = createHeaders(vias.map((via) => ['Via', via] as const));
  return { kind: 'request', method: 'REGISTER', uri: 'sip:example.com', headers, body: '' };
}

/** `address:port protocol` of the sender; undefined when the proxy does not name it. */
function senderOf(flow: Flow, ...vias: readonly string[]): string | undefined {
  const sender = proxies.senderOf(requestWith(...vias), flow);
  return sender && `${sender.remoteAddress}:${sender.remotePort} ${sender.protocol}`;
}

const ofProxy = 'SIP/2.0/UDP 192.0.2.10;branch=z9hG4bK1';

describe('The sender of a request', () => {
  const passed: readonly (readonly [rule: string, via: string, sender: string | undefined])[] = [
    [
      'has the address that the proxy received from',
      'SIP/2.0/UDP 10.0.0.5:5062;received=198.51.100.7;rport=40000',
      '198.51.100.7:40000 udp',
    ],
    ['is sent-by without received', 'SIP/2.0/TCP 198.51.100.7:5062;branch=z9hG4bK2', '198.51.100.7:5062 tcp'],
    ['has the default port without one', 'SIP/2.0/TLS 198.51.100.7;branch=z9hG4bK2', '198.51.100.7:5060 tls'],
    ['is an IPv6 address without brackets', 'SIP/2.0/UDP [2001:DB8:1::7]:5062', '2001:db8:1::7:5062 udp'],
    ['is unknown behind a name without received', 'SIP/2.0/UDP phone.example;branch=z9hG4bK2', undefined],
    [
      'is unknown with two received',
      'SIP/2.0/UDP 10.0.0.5;received=198.51.100.7;received=198.51.100.8',
      undefined,
    ],
    ['is unknown behind a malformed Via', 'SIP/2.0/UDP', undefined],
    ['is unknown behind another transport', 'SIP/2.0/SCTP 198.51.100.7', undefined],
  ];
  for (const [rule, via, sender] of passed)
    it(rule, () => assert.equal(senderOf(flowFrom('192.0.2.10'), ofProxy, via), sender));

  it('is the first that is no proxy, whatever the values below say', () => {
    const chain = [
      'SIP/2.0/UDP [2001:db8::2]:5060;branch=z9hG4bK3',
      'SIP/2.0/UDP 198.51.100.7:5062;received=198.51.100.8',
      'SIP/2.0/UDP 203.0.113.1:5060',
    ];
    assert.equal(senderOf(flowFrom('192.0.2.10'), ofProxy, ...chain), '198.51.100.8:5062 udp');
  });

  it('is the peer of the flow for a request that no named proxy has passed on', () => {
    const flow = flowFrom('198.51.100.7');
    const request = requestWith('SIP/2.0/UDP 198.51.100.7', 'SIP/2.0/UDP 203.0.113.1:5060');
    assert.equal(proxies.senderOf(request, flow), flow);
    assert.equal(createEdgeProxies([]).senderOf(request, flow), flow);
  });

  it('is the proxy itself for its own requests', () => {
    const flow = flowFrom('192.0.2.10');
    assert.equal(proxies.senderOf(requestWith(ofProxy), flow), flow);
  });

  it('keeps its flow through another proxy, and differs for every phone', () => {
    const via = 'SIP/2.0/UDP 198.51.100.7:5062';
    const idOf = (proxy: string, value: string) =>
      proxies.senderOf(requestWith(ofProxy, value), flowFrom(proxy))?.id;
    assert.equal(idOf('192.0.2.10', via), idOf('2001:db8::9', via));
    assert.notEqual(idOf('192.0.2.10', via), idOf('192.0.2.10', 'SIP/2.0/UDP 198.51.100.7:5063'));
  });
});
