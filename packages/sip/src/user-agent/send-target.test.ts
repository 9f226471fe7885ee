import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVia, parseVia } from '../message/via.ts';
import { routeOfUri, targetOfLostFlow } from './send-target.ts';
import { createMemoryLink } from './testing/memory-link.ts';

test('RFC 3261 §26.2.2: a sips URI uses TLS, with transport=tcp too, and never an unencrypted transport', () => {
  const tls = { protocol: 'tls', host: 'example.com', port: 5061, identity: 'example.com' };
  for (const uri of [
    'sips:b@example.com',
    'sips:b@example.com;transport=tcp',
    'sip:b@example.com;transport=TLS',
  ])
    assert.deepEqual(routeOfUri(uri)?.target, tls, uri);
  assert.equal(routeOfUri('sips:b@example.com;transport=udp'), undefined);
  assert.equal(routeOfUri('sips:b@example.com')?.reliable, true);
});

test('RFC 5922 §7.3: the certificate must name the host of the URI, whatever maddr is', () => {
  assert.deepEqual(routeOfUri('sips:b@example.com:5063;maddr=192.0.2.1')?.target, {
    protocol: 'tls',
    host: '192.0.2.1',
    port: 5063,
    identity: 'example.com',
  });
});

test('RFC 7118 §5: a WebSocket client has no target for a new connection', () => {
  for (const uri of [
    'sip:b@x.invalid;transport=ws',
    'sips:b@x.invalid;transport=ws',
    'sip:b@x;transport=sctp',
  ])
    assert.equal(routeOfUri(uri), undefined, uri);
});

test('RFC 3261 §18.2.2: a response whose connection is closed goes to the sent-by port at the source address', () => {
  const via = parseVia('SIP/2.0/TCP phone.example:5070;branch=z9hG4bK1;received=192.0.2.1;rport=40000')!;
  assert.deepEqual(targetOfLostFlow(via), { protocol: 'tcp', host: '192.0.2.1', port: 5070 });
  const tls = parseVia('SIP/2.0/TLS phone.example;branch=z9hG4bK1;received=192.0.2.1')!;
  assert.deepEqual(targetOfLostFlow(tls), {
    protocol: 'tls',
    host: '192.0.2.1',
    port: 5061,
    identity: 'phone.example',
  });
  for (const protocol of ['WS', 'WSS', 'UDP'])
    assert.equal(targetOfLostFlow(parseVia(createVia(protocol, '192.0.2.1', 80, 'z9hG4bK1'))!), undefined);
});

test('§18.2.2: a response on a closed connection is sent once more, and a second failure is reported to its transaction', () => {
  const sent: { readonly target: object; readonly text: string }[] = [];
  let isGone = false;
  const link = createMemoryLink(
    { protocol: 'tcp' },
    {
      send: (target, text) => void sent.push({ target, text }),
      flow: () => (isGone ? undefined : ({ id: 'tcp-1' } as never)),
    },
  );
  link.bob.onRequest = ({ reply }) => reply(200);
  const request = [
    'OPTIONS sip:bob@10.0.0.2 SIP/2.0',
    'Via: SIP/2.0/TCP 10.0.0.1:5070;branch=z9hG4bKlost',
    'From: <sip:a@x>;tag=1',
    'To: <sip:b@x>',
    'Call-ID: lost',
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 70',
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n');
  link.inject('bob', request);
  const [answer] = sent;
  assert.match(answer?.text ?? '', /^SIP\/2\.0 200/);
  isGone = true;
  link.bob.ua.transportFailed(answer!.text, answer!.target as never);
  assert.deepEqual(sent[1]?.target, { protocol: 'tcp', host: '10.0.0.1', port: 5070 });
  link.bob.ua.transportFailed(sent[1]!.text, sent[1]!.target as never);
  assert.equal(sent.length, 2);
  assert.equal(link.bob.ua.census().transactions, 0);
});

test('RFC 7118 §5.2, RFC 3261 §12.1.1: our Contact has the transport and port of the request, and is sips for a sips request', () => {
  const ports = { udp: 5060, tcp: 5060, tls: 5061, ws: 8080, wss: 8443 };
  const link = createMemoryLink({}, { address: (protocol) => ({ host: '10.0.0.2', port: ports[protocol] }) });
  link.bob.onInvite = (invite) => invite.ring();
  const contactFor = (transport: string, uri: string): string | undefined => {
    const id = `${transport}${uri.length}`;
    const lines = [
      `INVITE ${uri} SIP/2.0`,
      `Via: SIP/2.0/${transport} 10.0.0.1;branch=z9hG4bK${id}`,
      'Contact: <sip:a@x.invalid>',
      'From: <sip:a@x>;tag=1',
      'To: <sip:b@x>',
      `Call-ID: ${id}`,
      'CSeq: 1 INVITE',
      'Max-Forwards: 70',
      'Content-Length: 0',
      '\r\n',
    ];
    link.inject('bob', lines.join('\r\n'));
    return /\r\nContact: (.*)\r\n/.exec(link.bob.texts.at(-1) ?? '')?.[1];
  };
  assert.equal(contactFor('UDP', 'sip:b@x'), '<sip:10.0.0.2:5060>');
  assert.equal(contactFor('TCP', 'sip:b@x'), '<sip:10.0.0.2:5060;transport=tcp>');
  assert.equal(contactFor('TLS', 'sip:b@x'), '<sip:10.0.0.2:5061;transport=tls>');
  assert.equal(contactFor('TLS', 'sips:b@x'), '<sips:10.0.0.2:5061>');
  assert.equal(contactFor('WS', 'sip:b@x'), '<sip:10.0.0.2:8080;transport=ws>');
  assert.equal(contactFor('WSS', 'sips:b@x'), '<sips:10.0.0.2:8443;transport=ws>');
});
