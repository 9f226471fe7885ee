import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Flow } from '../message/flow.ts';
import { createTransportCounters } from './counters.ts';
import { createAuthority, noOpenssl } from './testing/certificates.ts';
import { drip, untilClosed } from './testing/sockets.ts';
import { createTlsTransport, type TlsTransport, type TlsTransportOptions } from './tls-transport.ts';
import type { SendFailure } from './transport-listener.ts';

const text = (body = ''): string =>
  `OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/TLS c\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
// Counted from the test on: files of one process are loaded long before they run.
const inTime = () => AbortSignal.timeout(60_000);
const opened: TlsTransport[] = [];
const sockets: Socket[] = [];

describe('SIP over TLS', { skip: noOpenssl }, () => {
  const authority = noOpenssl ? undefined! : createAuthority();
  const good = noOpenssl ? undefined! : authority.issue('DNS:localhost,DNS:sip.example.com,IP:127.0.0.1');

  async function side(options: Partial<TlsTransportOptions> = {}) {
    const events = new EventEmitter();
    const counters = createTransportCounters();
    const transport = await createTlsTransport({
      host: '127.0.0.1',
      port: 0,
      certificate: good,
      authorities: [authority.pem],
      counters,
      listener: {
        onMessage: (message, flow) => void events.emit('message', message, flow),
        onSendFailed: (failure) => void events.emit('failure', failure),
        onFlowClosed: (flow) => void events.emit('closed', flow),
      },
      ...options,
    });
    opened.push(transport);
    const wait = (name: string) => once(events, name, { signal: inTime() }) as Promise<never>;
    return {
      transport,
      counters,
      port: transport.address.port,
      message: (): Promise<[string, Flow]> => wait('message'),
      failure: (): Promise<[SendFailure]> => wait('failure'),
      closed: (): Promise<[Flow]> => wait('closed'),
    };
  }

  async function phone(port: number, options: object = {}): Promise<TLSSocket> {
    const socket = connectTls({
      port,
      host: '127.0.0.1',
      ca: authority.pem,
      servername: 'localhost',
      ...options,
    });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect', { signal: inTime() });
    return socket;
  }

  async function plain(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect', { signal: inTime() });
    return socket;
  }

  const target = (port: number, identity?: string) =>
    ({ protocol: 'tls', host: '127.0.0.1', port, ...(identity === undefined ? {} : { identity }) }) as const;

  it('presents its own certificate to a peer that requests one (RFC 5922 §7.3), and the new one after a renewal', async () => {
    const names: (string | undefined)[] = [];
    const peer = createTlsServer(
      { ...good, ca: authority.pem, requestCert: true, rejectUnauthorized: true },
      (socket) => {
        names.push(socket.getPeerCertificate().subjectaltname);
        socket.on('error', () => undefined);
        socket.destroy();
      },
    );
    peer.listen(0, '127.0.0.1');
    await once(peer, 'listening', { signal: inTime() });
    const { port } = peer.address() as AddressInfo;
    const { transport } = await side({ certificate: authority.issue('DNS:one.example') });
    transport.sendTo(target(port, 'localhost'), text());
    await once(peer, 'secureConnection', { signal: inTime() });
    transport.renew(authority.issue('DNS:two.example'));
    transport.sendTo({ ...target(port, 'sip.example.com') }, text());
    await once(peer, 'secureConnection', { signal: inTime() });
    peer.close();
    assert.deepEqual(names, ['DNS:one.example', 'DNS:two.example']);
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(opened.splice(0).map((transport) => transport.close()));
  });

  it('carries messages in both directions on one verified connection', async () => {
    const [a, b] = [await side(), await side()];
    const arrived = b.message();
    a.transport.sendTo(target(b.port, 'sip.example.com'), text('1'));
    const [received, flow] = await arrived;
    assert.equal(received, text('1'));
    assert.deepEqual([flow.protocol, flow.reliable, flow.remoteAddress], ['tls', true, '127.0.0.1']);
    assert.match(flow.id, /^tls-/);
    const back = a.message();
    assert.ok(b.transport.sendOn({ flow: flow.id }, flow.id, text('2')));
    assert.equal((await back)[0], text('2'));
    const again = b.message();
    a.transport.sendTo(target(b.port, 'SIP.example.com'), text('3'));
    assert.equal((await again)[1].id, flow.id);
    assert.deepEqual([a.transport.connections, b.transport.connections], [1, 1]);
  });

  for (const [what, certificate, identity, sentence] of [
    ['another host', () => good, 'other.example', /does not name other\.example/],
    [
      'a subdomain of a wildcard',
      () => authority.issue('DNS:*.example.com'),
      'a.example.com',
      /does not name a\.example/,
    ],
    [
      'a user instead of a domain',
      () => authority.issue('URI:sip:a@sip.example.com'),
      'sip.example.com',
      /does not name/,
    ],
    [
      'an untrusted authority',
      () => createAuthority().issue('DNS:sip.example.com'),
      'sip.example.com',
      /unable|self|verify/i,
    ],
    [
      'an expired certificate',
      () => authority.issue('DNS:sip.example.com', -1),
      'sip.example.com',
      /expired/,
    ],
  ] as const) {
    it(`sends nothing to ${what}, and reports the reason`, async () => {
      const a = await side();
      const b = await side({ certificate: certificate() });
      const failed = a.failure();
      a.transport.sendTo(target(b.port, identity), text());
      const [failure] = await failed;
      assert.match(failure.sentence, sentence);
      assert.equal(failure.text, text());
      assert.equal(b.counters.messagesReceived, 0);
    });
  }

  it('fails the queued messages of a peer that never finishes its handshake', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const a = await side({ limits: { connectMs: 60 } });
    const failed = a.failure();
    a.transport.sendTo(target((silent.address() as { port: number }).port), text());
    assert.match((await failed)[0].sentence, /timed out/);
    silent.close();
  });

  it('a connection verified for one domain carries nothing for another', async () => {
    const [a, b] = [await side(), await side()];
    const arrived = b.message();
    a.transport.sendTo(target(b.port, 'sip.example.com'), text());
    await arrived;
    const failed = a.failure();
    a.transport.sendTo(target(b.port, 'other.example'), text());
    assert.match((await failed)[0].sentence, /other\.example/);
  });

  it('an accepted connection carries none of our requests to its source address', async () => {
    const [a, b] = [await side(), await side()];
    const socket = await phone(b.port);
    const arrived = b.message();
    socket.write(text());
    const [, flow] = await arrived;
    const failed = b.failure();
    b.transport.sendTo(target(flow.remotePort), text());
    assert.match((await failed)[0].sentence, /ECONNREFUSED/);
    assert.equal(a.transport.connections, 0);
  });

  it('closes a connection of plain text, and counts it', async () => {
    const b = await side();
    const socket = await plain(b.port);
    socket.write(text());
    socket.resume();
    await untilClosed(socket, inTime());
    assert.deepEqual([b.counters.handshakesFailed, b.counters.messagesReceived], [1, 0]);
    assert.equal(b.transport.connections, 0);
  });

  it('closes a handshake that does not end in time, also while its bytes drip', async () => {
    const b = await side({ limits: { handshakeMs: 80 } });
    const socket = await plain(b.port);
    // The header of a TLS record of 16 KiB, then single bytes.
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x3f, 0xff]));
    drip(socket, Buffer.from([1]));
    socket.resume();
    await untilClosed(socket, inTime());
    while (b.counters.handshakesFailed === 0) await nextTurn();
    assert.deepEqual([b.counters.connectionsTimedOut, b.counters.handshakesFailed], [1, 1]);
  });

  it('bounds the concurrent handshakes of one address, without those that are over', async () => {
    const b = await side({ maxHandshakesPerSource: 2 });
    const held = [await plain(b.port), await plain(b.port)];
    // The refusal of the third shows that the server counts both.
    const third = await plain(b.port);
    third.resume();
    await untilClosed(third, inTime());
    assert.equal(b.counters.connectionsRefused, 1);
    held[0]!.destroy();
    while (b.counters.handshakesFailed === 0) await nextTurn();
    for (const _ of [1, 2, 3]) {
      const arrived = b.message();
      (await phone(b.port)).write(text());
      await arrived;
    }
  });

  it('bounds the connections of one address', async () => {
    const b = await side({ maxPerSource: 1 });
    const first = await phone(b.port);
    const second = await plain(b.port);
    second.resume();
    await untilClosed(second, inTime());
    assert.equal(b.counters.connectionsRefused, 1);
    const closed = b.closed();
    first.write(text());
    first.destroy();
    await closed;
    await phone(b.port);
  });

  it('supports TLS 1.2 and 1.3, and nothing older', async () => {
    const b = await side();
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await phone(b.port, { minVersion: version, maxVersion: version });
      assert.equal(socket.getProtocol(), version);
    }
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    const socket = connectTls({ port: b.port, host: '127.0.0.1', ca: authority.pem, ...old } as object);
    sockets.push(socket);
    await assert.rejects(once(socket, 'secureConnect', { signal: inTime() }));
  });

  it('presents a renewed certificate to the next peer, and refuses a certificate of another key', async () => {
    const b = await side();
    const before = await phone(b.port);
    const renewed = authority.issue('DNS:renewed.example');
    assert.throws(() => b.transport.renew({ cert: renewed.cert, key: good.key }));
    b.transport.renew(renewed);
    const next = await phone(b.port, { servername: 'renewed.example' });
    assert.match(next.getPeerCertificate().subjectaltname ?? '', /renewed/);
    const arrived = b.message();
    before.write(text());
    await arrived;
  });

  it('reports a closed connection once, and leaves no socket after close', async () => {
    const b = await side();
    const socket = await phone(b.port);
    const half = await plain(b.port);
    half.resume();
    const arrived = b.message();
    socket.write(text());
    const [, flow] = await arrived;
    const closed = b.closed();
    const halfClosed = untilClosed(half, inTime());
    await Promise.all([b.transport.close(), halfClosed]);
    assert.equal((await closed)[0].id, flow.id);
    assert.equal(b.transport.flowById(flow.id), undefined);
    assert.equal(b.transport.sendOn({ flow: flow.id }, flow.id, text()), false);
  });
});
