import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Flow } from '../message/flow.ts';
import { createTcpTransport } from './stream-transport.ts';
import { createAuthority, noOpenssl } from './testing/certificates.ts';
import { drip, untilClosed } from './testing/sockets.ts';
import type { SendFailure } from './transport-listener.ts';
import { createTransports, type SocketTransports, type TransportsOptions } from './transports.ts';

const text = (body = ''): string =>
  `OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/TCP c\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

interface Side {
  readonly transports: SocketTransports;
  readonly events: EventEmitter;
  readonly port: number;
  message(): Promise<[text: string, flow: Flow]>;
  failure(): Promise<[failure: SendFailure]>;
  closed(): Promise<[flow: Flow]>;
}

const opened: SocketTransports[] = [];
const sockets: Socket[] = [];
// Counted from the test on: files of one process are loaded long before they run.
const inTime = () => AbortSignal.timeout(60_000);

async function side(options: Partial<TransportsOptions> = {}): Promise<Side> {
  const events = new EventEmitter();
  const wait = (name: string) => once(events, name, { signal: inTime() }) as Promise<never>;
  const transports = await createTransports({
    host: '127.0.0.1',
    port: 0,
    onMessage: (message, flow) => void events.emit('message', message, flow),
    onSendFailed: (failure) => void events.emit('failure', failure),
    onFlowClosed: (flow) => void events.emit('closed', flow),
    ...options,
  });
  opened.push(transports);
  const port = transports.addresses[0]!.port;
  return {
    transports,
    events,
    port,
    message: () => wait('message'),
    failure: () => wait('failure'),
    closed: () => wait('closed'),
  };
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect', { signal: inTime() });
  return socket;
}

/** The event loop drops handles that were closed in a turn at the end of that turn. */
async function openSockets(): Promise<number> {
  await nextTurn();
  return process.getActiveResourcesInfo().filter((name) => /TCP|UDP/.test(name)).length;
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(opened.splice(0).map((transports) => transports.close()));
});

describe('transports', () => {
  it('transports carry every byte over UDP and back on the flow', async () => {
    const [a, b] = [await side(), await side()];
    const every = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');
    const arrived = b.message();
    a.transports.send({ protocol: 'udp', host: '127.0.0.1', port: b.port }, text(every));
    const [received, flow] = await arrived;
    assert.equal(received, text(every));
    assert.deepEqual(
      [flow.protocol, flow.reliable, flow.remoteAddress, flow.remotePort, flow.localPort],
      ['udp', false, '127.0.0.1', a.port, b.port],
    );
    assert.deepEqual(b.transports.flowById(flow.id), flow);
    const back = a.message();
    b.transports.send({ flow: flow.id }, 'SIP/2.0 200 OK\r\n\r\n');
    assert.equal((await back)[0], 'SIP/2.0 200 OK\r\n\r\n');
  });

  it('RFC 3581 §4: an answer over UDP goes from the port that received the request to its source port', async () => {
    const a = await side({
      onMessage: (_message, flow) => a.transports.send({ flow: flow.id }, 'SIP/2.0 200 OK\r\n\r\n'),
    });
    const phone = createSocket('udp4');
    const answered = once(phone, 'message', { signal: inTime() });
    phone.send(text(), a.port, '127.0.0.1');
    const [, source] = await answered;
    phone.close();
    assert.deepEqual([source.address, source.port], ['127.0.0.1', a.port]);
  });

  it('transports open a TCP connection on demand, reuse it, and answer on the same one', async () => {
    const [a, b] = [await side(), await side()];
    const target = { protocol: 'tcp', host: '127.0.0.1', port: b.port } as const;
    const first = b.message();
    a.transports.send(target, text('1'));
    const [, flow] = await first;
    const second = b.message();
    a.transports.send(target, text('2'));
    const [received, sameFlow] = await second;
    assert.equal(received, text('2'));
    assert.equal(sameFlow.id, flow.id);
    const back = a.message();
    b.transports.send({ flow: flow.id }, text('3'));
    const [, backFlow] = await back;
    assert.deepEqual(
      [backFlow.remoteAddress, backFlow.remotePort, backFlow.localPort],
      ['127.0.0.1', b.port, flow.remotePort],
    );
    assert.deepEqual([a.transports.connections, b.transports.connections], [1, 1]);
    assert.deepEqual(
      [a.transports.counters.connectionsOpened, b.transports.counters.connectionsAccepted],
      [1, 1],
    );
  });

  it('transports resolve the name of a host', async () => {
    const [a, b] = [await side(), await side()];
    for (const protocol of ['udp', 'tcp'] as const) {
      const arrived = b.message();
      a.transports.send({ protocol, host: 'localhost', port: b.port }, text(protocol));
      assert.equal((await arrived)[0], text(protocol));
    }
  });

  it('transports report a message that could not be sent, after send has returned', async () => {
    const a = await side();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await new Promise((resolve) => other.close(resolve));
    const targets = [
      { protocol: 'tcp', host: '127.0.0.1', port },
      { protocol: 'udp', host: '::1', port: 5060 },
      { protocol: 'udp', host: '127.0.0.1', port: 70_000 },
      { protocol: 'tcp', host: '', port: 5060 },
      { flow: 'tcp-gone-1' },
      { flow: 'udp-nonsense' },
    ] as const;
    for (const target of targets) {
      const failed = a.failure();
      a.transports.send(target, text());
      const [failure] = await failed;
      assert.deepEqual(failure.target, target);
      assert.equal(failure.text, text());
      assert.notEqual(failure.sentence, '');
    }
    assert.equal(a.transports.counters.sendFailures, targets.length);
    const failed = a.failure();
    a.transports.send({ protocol: 'udp', host: '127.0.0.1', port }, 'x'.repeat(70_000));
    assert.match((await failed)[0].sentence, /EMSGSIZE/);
  });

  it('transports report a closed connection once, and drop its flow', async () => {
    const a = await side();
    const socket = await dial(a.port);
    const arrived = a.message();
    socket.write(text());
    const [, flow] = await arrived;
    assert.equal(a.transports.flowById(flow.id)?.id, flow.id);
    const closed = a.closed();
    socket.end();
    assert.equal((await closed)[0].id, flow.id);
    assert.equal(a.transports.flowById(flow.id), undefined);
    assert.equal(a.transports.connections, 0);
  });

  it('transports answer a double CRLF on TCP with one CRLF (RFC 5626 §3.5.1) and ignore keep-alives on UDP', async () => {
    const a = await side();
    const socket = await dial(a.port);
    socket.write('\r\n\r\n');
    const [pong] = await once(socket, 'data', { signal: inTime() });
    assert.equal(String(pong), '\r\n');
    const client = createSocket('udp4');
    const arrived = a.message();
    for (const keepAlive of ['\r\n\r\n', '\0\0\0\0', '', '\0'])
      client.send(Buffer.from(keepAlive), a.port, '127.0.0.1');
    client.send(text(), a.port, '127.0.0.1');
    assert.equal((await arrived)[0], text());
    client.close();
    assert.equal(a.transports.counters.keepAlives, 5);
  });

  it('transports drop and count a datagram above the limit', async () => {
    const a = await side({ limits: { messageSize: 300 } });
    const client = createSocket('udp4');
    const arrived = a.message();
    client.send('x'.repeat(301), a.port, '127.0.0.1');
    client.send('y'.repeat(300), a.port, '127.0.0.1');
    assert.match((await arrived)[0], /^y+$/);
    client.close();
    assert.equal(a.transports.counters.oversizedDropped, 1);
  });

  it('transports deliver the header of a message that breaks the stream, send its answer, and close', async () => {
    const a = await side({
      onMessage: (message, flow) => a.transports.send({ flow: flow.id }, `answer to ${message.length}`),
    });
    const socket = await dial(a.port);
    const broken = text().replace('Content-Length: 0', 'Content-Length: -1');
    socket.write(broken + text());
    const [answer] = await once(socket, 'data', { signal: inTime() });
    assert.equal(String(answer), `answer to ${broken.length}`);
    await untilClosed(socket, inTime());
    assert.equal(a.transports.counters.streamsBroken, 1);
  });

  it('transports close a connection whose message does not end in time, also while its bytes drip', async () => {
    const a = await side({ limits: { halfMessageMs: 60 } });
    const socket = await dial(a.port);
    drip(socket, 'x');
    await untilClosed(socket, inTime());
    assert.equal(a.transports.counters.connectionsTimedOut, 1);
  });

  it('transports close an idle connection', async () => {
    const a = await side({ limits: { idleMs: 40 } });
    const socket = await dial(a.port);
    socket.write(text());
    await untilClosed(socket, inTime());
    assert.equal(a.transports.counters.connectionsTimedOut, 1);
  });

  it('transports refuse connections above the limit', async () => {
    const a = await side({ maxConnections: 1 });
    const first = await dial(a.port);
    const arrived = a.message();
    first.write(text());
    await arrived;
    const second = await dial(a.port);
    await untilClosed(second, inTime());
    assert.equal(a.transports.counters.connectionsRefused, 1);
    const failed = a.failure();
    a.transports.send({ protocol: 'tcp', host: '127.0.0.1', port: 9 }, text());
    assert.match((await failed)[0].sentence, /too many/);
  });

  it('transports refuse a connection from an address that the listener refuses, and count those of one source together', async () => {
    const unwanted = await side({ accepts: () => false });
    await untilClosed(await dial(unwanted.port), inTime());
    assert.equal(unwanted.transports.counters.connectionsRefused, 1);
    const asked: string[] = [];
    const one = await side({
      maxPerSource: 1,
      sourceOf: (address) => {
        asked.push(address);
        return 'everybody';
      },
    });
    const arrived = one.message();
    (await dial(one.port)).write(text());
    await arrived;
    const second = connect({ port: one.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    sockets.push(second);
    second.on('error', () => undefined);
    await untilClosed(second, inTime());
    assert.deepEqual(asked, ['127.0.0.1', '127.0.0.2']);
  });

  it('transports close a connection of an unauthenticated sender in time whatever it sends, and keep an authenticated one', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const a = await side({ limits: { strangerMs: 80 } });
    const stranger = await dial(a.port);
    const known = await dial(a.port);
    drip(stranger, text());
    const flows = new Map<number, string>();
    a.events.on('message', (_text: string, flow: Flow) => flows.set(flow.remotePort, flow.id));
    known.write(text());
    while (!flows.has(known.localPort!)) await a.message();
    a.transports.keep(flows.get(known.localPort!)!);
    t.mock.timers.tick(79);
    flows.delete(stranger.localPort!);
    while (!flows.has(stranger.localPort!)) await a.message();
    t.mock.timers.tick(1);
    await untilClosed(stranger, inTime());
    assert.equal(a.transports.counters.connectionsTimedOut, 1);
    assert.equal(known.destroyed, false);
    a.transports.cut(flows.get(known.localPort!)!);
    await untilClosed(known, inTime());
  });

  it('transports bound the send queue of a peer that does not read', async () => {
    const a = await side({ limits: { sendQueueSize: 50_000 } });
    const socket = await dial(a.port);
    const arrived = a.message();
    socket.write(text());
    const [, flow] = await arrived;
    socket.pause();
    const failed = a.failure();
    for (let count = 0; count < 2_000; count += 1) a.transports.send({ flow: flow.id }, 'x'.repeat(10_000));
    assert.match((await failed)[0].sentence, /send queue is full/);
  });

  it('transports go on when a listener throws', async () => {
    const faults: unknown[] = [];
    const seen: string[] = [];
    const events = new EventEmitter();
    const a = await side({
      onMessage(message) {
        seen.push(message);
        events.emit('seen');
        throw new Error('listener');
      },
      onFault: (error) => faults.push(error),
    });
    const socket = await dial(a.port);
    for (const body of ['1', '2']) {
      const arrived = once(events, 'seen', { signal: inTime() });
      socket.write(text(body));
      await arrived;
    }
    assert.deepEqual(seen, [text('1'), text('2')]);
    assert.equal(faults.length, 2);
    assert.equal(a.transports.counters.listenerFailures, 2);
  });

  it('transports leave no socket after close', async () => {
    const before = await openSockets();
    const [a, b] = [await side(), await side()];
    const arrived = b.message();
    a.transports.send({ protocol: 'tcp', host: '127.0.0.1', port: b.port }, text());
    const [, flow] = await arrived;
    await Promise.all([a.transports.close(), b.transports.close()]);
    const failed = b.failure();
    b.transports.send({ flow: flow.id }, text());
    await failed;
    assert.equal(await openSockets(), before);
  });

  it('transports close a connection whose peer never reads after the grace period', async () => {
    const events = new EventEmitter();
    const tcp = await createTcpTransport({
      host: '127.0.0.1',
      port: 0,
      closeGraceMs: 30,
      listener: { onMessage: (_, flow) => void events.emit('message', flow) },
    });
    const socket = await dial(tcp.address.port);
    const arrived = once(events, 'message', { signal: inTime() });
    socket.write(text());
    const [flow] = (await arrived) as [Flow];
    socket.pause();
    for (let count = 0; count < 100; count += 1) tcp.sendOn({ flow: flow.id }, flow.id, 'x'.repeat(100_000));
    await tcp.close();
    assert.equal(tcp.connections, 0);
  });

  it('transports refuse to start on an address that is taken, and leave nothing open', async () => {
    const a = await side();
    await assert.rejects(side({ port: a.port }), /EADDRINUSE/);
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    await assert.rejects(side({ port }), /EADDRINUSE/);
    const free = createSocket('udp4').bind(port, '127.0.0.1');
    await once(free, 'listening', { signal: inTime() });
    free.close();
    holder.close();
  });
});

describe('all transports of one address', { skip: noOpenssl }, () => {
  const authority = noOpenssl ? undefined! : createAuthority();
  const certificate = noOpenssl ? undefined! : authority.issue('DNS:localhost,IP:127.0.0.1');
  const tls = { port: 0, certificate, authorities: noOpenssl ? [] : [authority.pem] };

  it('all transports are listed, UDP first, and each answers on its own flow', async () => {
    const [a, b] = [await side({ tls }), await side({ tls })];
    const http = createHttpServer();
    b.transports.attachWebSocket(http, { path: '/sip' });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    assert.deepEqual(
      b.transports.addresses.map(({ protocol }) => protocol),
      ['udp', 'tcp', 'tls', 'ws'],
    );
    const [, tcp, secure, web] = b.transports.addresses;
    assert.equal(tcp?.port, b.port);
    for (const protocol of ['udp', 'tcp', 'tls'] as const) {
      const port = protocol === 'tls' ? secure!.port : b.port;
      const arrived = b.message();
      a.transports.send({ protocol, host: '127.0.0.1', port }, text(protocol));
      const [received, flow] = await arrived;
      assert.deepEqual([received, flow.protocol], [text(protocol), protocol]);
      assert.equal(b.transports.flowById(flow.id)?.id, flow.id);
      const back = a.message();
      b.transports.send({ flow: flow.id }, text('back'));
      assert.equal((await back)[1].protocol, protocol);
    }
    const client = new WebSocket(`ws://127.0.0.1:${web!.port}/sip`, 'sip');
    await once(client, 'open', { signal: inTime() });
    const arrived = b.message();
    client.send(text('ws'));
    const [, flow] = await arrived;
    const back = once(client, 'message', { signal: inTime() });
    b.transports.send({ flow: flow.id }, text('back'));
    assert.equal(String((await back)[0]), text('back'));
    assert.equal(b.transports.connections, 3);

    const gone = once(client, 'close', { signal: inTime() });
    await b.transports.closeWebSockets();
    await gone;
    await new Promise((resolve) => http.close(resolve));
    assert.equal(b.transports.connections, 2);
  });

  it('without a certificate a message to a TLS target fails, and is not sent unencrypted', async () => {
    const [a, b] = [await side(), await side()];
    const failed = a.failure();
    a.transports.send({ protocol: 'tls', host: '127.0.0.1', port: b.port }, text());
    assert.match((await failed)[0].sentence, /TLS is not enabled/);
    assert.equal(b.transports.counters.connectionsAccepted, 0);
  });

  it('all transports leave nothing open when one of their ports is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    await assert.rejects(side({ tls: { ...tls, port } }), /EADDRINUSE/);
    await assert.rejects(side({ tls, port }), /EADDRINUSE/);
    await new Promise((resolve) => holder.close(resolve));
    // Waits for closing sockets; an open one would reach the time limit.
    const signal = inTime();
    while ((await openSockets()) > 0) signal.throwIfAborted();
  });
});
