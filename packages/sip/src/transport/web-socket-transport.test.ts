import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer as createHttpServer, get, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Flow } from '../message/flow.ts';
import { createTransportCounters } from './counters.ts';
import { createAuthority, noOpenssl } from './testing/certificates.ts';
import type { SendFailure, TransportListener } from './transport-listener.ts';
import {
  createWebSocketTransport,
  type WebSocketLimits,
  type WebSocketTransport,
} from './web-socket-transport.ts';
import type { AttachOptions } from './web-socket-upgrades.ts';

// RFC 7118 §5: a frame delimits its message, so Content-Length may be absent.
const text = (body = ''): string => `OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/WS x.invalid\r\n\r\n${body}`;
// Counted from the test on: files of one process are loaded long before they run.
const inTime = () => AbortSignal.timeout(60_000);
const opened: { readonly server: Server; readonly transport: WebSocketTransport }[] = [];
const clients: WebSocket[] = [];

async function side(
  limits: Partial<WebSocketLimits> = {},
  attachment: Partial<AttachOptions> = {},
  server: Server = createHttpServer(),
  more: Partial<TransportListener> = {},
) {
  const events = new EventEmitter();
  const counters = createTransportCounters();
  const transport = createWebSocketTransport({
    limits,
    counters,
    listener: {
      onMessage: (message, flow) => void events.emit('message', message, flow),
      onSendFailed: (failure) => void events.emit('failure', failure),
      onFlowClosed: (flow) => void events.emit('closed', flow),
      ...more,
    },
  });
  transport.attach(server, { path: '/sip', ...attachment });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push({ server, transport });
  const wait = (name: string) => once(events, name, { signal: inTime() }) as Promise<never>;
  return {
    transport,
    counters,
    server,
    port: (server.address() as AddressInfo).port,
    message: (): Promise<[string, Flow]> => wait('message'),
    failure: (): Promise<[SendFailure]> => wait('failure'),
    closed: (): Promise<[Flow]> => wait('closed'),
  };
}

function open(url: string, protocols: string | string[] = 'sip', options: object = {}): WebSocket {
  const client = new WebSocket(url, protocols, options);
  clients.push(client);
  client.on('error', () => undefined);
  return client;
}

async function browser(port: number, options: object = {}): Promise<WebSocket> {
  const client = open(`ws://127.0.0.1:${port}/sip`, 'sip', options);
  await once(client, 'open', { signal: inTime() });
  return client;
}

async function refusalOf(client: WebSocket): Promise<number | undefined> {
  const [, response] = await once(client, 'unexpected-response', { signal: inTime() });
  response.resume();
  return response.statusCode;
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate();
  for (const { server, transport } of opened.splice(0)) {
    await transport.close();
    await new Promise((resolve) => server.close(resolve));
  }
});

describe('SIP over WebSocket', () => {
  it('RFC 7118 §4.1, §5: agrees on the subprotocol sip, one message a frame, text or binary, answers on the same socket', async () => {
    const a = await side();
    const client = await browser(a.port);
    assert.equal(client.protocol, 'sip');
    const arrived = a.message();
    client.send(text('1'));
    const [received, flow] = await arrived;
    assert.equal(received, text('1'));
    assert.deepEqual([flow.protocol, flow.reliable, flow.remoteAddress], ['ws', true, '127.0.0.1']);
    assert.equal(a.transport.flowById(flow.id), flow);
    const every = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');
    const binary = a.message();
    client.send(Buffer.from(text(every), 'latin1'), { binary: true });
    assert.equal((await binary)[0], text(every));

    const back = once(client, 'message', { signal: inTime() });
    assert.ok(a.transport.sendOn({ flow: flow.id }, flow.id, text('caf\xc3\xa9')));
    const [data, isBinary] = await back;
    assert.deepEqual([data.toString(), isBinary], [text('café'), false]);
    const backBinary = once(client, 'message', { signal: inTime() });
    a.transport.sendOn({ flow: flow.id }, flow.id, text(every));
    const [bytes, isBinaryNow] = await backBinary;
    assert.deepEqual([bytes.toString('latin1'), isBinaryNow], [text(every), true]);
    assert.deepEqual(a.transport.addresses, [{ protocol: 'ws', address: '127.0.0.1', port: a.port }]);
  });

  it('a socket that its client closes carries nothing more, long before its last bytes are out and it is closed', async () => {
    const closed: string[] = [];
    const onFlowClosed = ({ id }: Flow) => void closed.push(id);
    const a = await side({ sendQueueSize: 2 ** 26 }, {}, undefined, { onFlowClosed });
    const client = await browser(a.port);
    const arrived = a.message();
    client.send(text());
    const [, { id }] = await arrived;
    client.pause();
    // More than the kernel takes for a client that does not read.
    const unread = text('x'.repeat(2 ** 20));
    for (let sent = 0; sent < 32; sent++) a.transport.sendOn({ flow: id }, id, unread);
    client.close();
    const limit = inTime();
    while (a.transport.flowById(id) !== undefined) await pause(5, undefined, { signal: limit });
    assert.deepEqual([closed, a.transport.connections], [[], 1]);
    const failed = a.failure();
    a.transport.sendOn({ flow: id }, id, text('late'));
    assert.equal((await failed)[0].text, text('late'));
    client.terminate();
    while (closed.length === 0) await pause(5, undefined, { signal: limit });
    assert.deepEqual(closed, [id]);
  });

  it('RFC 7118 §4.1: refuses clients without the subprotocol sip, other paths and foreign origins', async () => {
    const a = await side({}, { allowOrigin: (origin) => origin === 'https://ours.example' });
    const url = `ws://127.0.0.1:${a.port}`;
    assert.equal(await refusalOf(open(`${url}/sip`, [])), 400);
    assert.equal(await refusalOf(open(`${url}/sip`, 'xmpp')), 400);
    assert.equal(await refusalOf(open(`${url}/other`)), 404);
    assert.equal(await refusalOf(open(`${url}/sip`, 'sip', { origin: 'https://theirs.example' })), 403);
    const client = open(`${url}/sip?token=1`, ['xmpp', 'sip'], { origin: 'https://ours.example' });
    await once(client, 'open', { signal: inTime() });
    assert.equal(client.protocol, 'sip');
  });

  it('answers a refused upgrade as its server answers errors', async () => {
    const reasons: string[] = [];
    const a = await side(
      {},
      {
        answerOf({ reason, sentence }) {
          reasons.push(`${reason}: ${sentence}`);
          return { status: 418, headers: { 'X-Code': reason }, body: JSON.stringify({ error: sentence }) };
        },
      },
    );
    const upgrade = (path: string, headers: Readonly<Record<string, string>>) =>
      new Promise<[number | undefined, string | undefined]>((resolve) =>
        get(
          { port: a.port, path, headers: { Connection: 'Upgrade', Upgrade: 'websocket', ...headers } },
          (response) => {
            response.resume();
            resolve([response.statusCode, response.headers['x-code'] as string | undefined]);
          },
        ),
      );
    assert.deepEqual(await upgrade('/other', {}), [418, 'no-such-path']);
    assert.deepEqual(await upgrade('/sip', {}), [418, 'wrong-subprotocol']);
    const keyless = { 'Sec-WebSocket-Protocol': 'sip', 'Sec-WebSocket-Version': '13' };
    assert.deepEqual(await upgrade('/sip', keyless), [418, 'bad-handshake']);
    assert.equal(reasons[0], 'no-such-path: there is no WebSocket at "/other": use /sip');
    assert.equal(reasons[1], 'wrong-subprotocol: Sec-WebSocket-Protocol must contain sip, not ""');
  });

  it('leaves other paths to other upgrade listeners', async () => {
    const a = await side();
    a.server.on('upgrade', (request, socket) => {
      if (request.url === '/other') socket.end('HTTP/1.1 418 Teapot\r\n\r\n');
    });
    assert.equal(await refusalOf(open(`ws://127.0.0.1:${a.port}/other`)), 418);
  });

  it('RFC 5626 §4.4.1: a double CRLF is answered with one CRLF, a single one is not', async () => {
    const a = await side();
    const client = await browser(a.port);
    const pong = once(client, 'message', { signal: inTime() });
    client.send('\r\n');
    client.send('\r\n\r\n');
    assert.equal(String((await pong)[0]), '\r\n');
    const arrived = a.message();
    client.send(text());
    await arrived;
    assert.deepEqual([a.counters.keepAlives, a.counters.messagesReceived], [2, 1]);
  });

  it('RFC 7118 §6: pings each socket, keeps it while it answers, and closes it otherwise', async () => {
    const a = await side({ pingMs: 200 });
    const quiet = await browser(a.port, { autoPong: false });
    const alive = await browser(a.port);
    const arrived = a.message();
    alive.send(text());
    const [, flow] = await arrived;
    await Promise.all([once(quiet, 'close', { signal: inTime() }), a.closed()]);
    await once(alive, 'ping', { signal: inTime() });
    assert.equal(a.transport.flowById(flow.id)?.id, flow.id);
    assert.equal(a.counters.connectionsTimedOut, 1);
  });

  it('closes a socket without a message in time', async () => {
    const a = await side({ firstMessageMs: 40 });
    const client = await browser(a.port);
    await once(client, 'close', { signal: inTime() });
    assert.equal(a.counters.connectionsTimedOut, 1);
  });

  it('closes a socket of an unauthenticated sender in time whatever it sends, and keeps an authenticated one', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const a = await side({ strangerMs: 80 });
    const arrived = a.message();
    const known = await browser(a.port);
    known.send(text());
    const [, flow] = await arrived;
    a.transport.keep(flow.id);
    const stranger = await browser(a.port);
    t.mock.timers.tick(79);
    const heard = a.message();
    stranger.send(text());
    await heard;
    t.mock.timers.tick(1);
    await once(stranger, 'close', { signal: inTime() });
    assert.equal(a.counters.connectionsTimedOut, 1);
    assert.equal(known.readyState, WebSocket.OPEN);
    a.transport.cut(flow.id);
    await once(known, 'close', { signal: inTime() });
  });

  it('refuses a socket from an address that the listener refuses', async () => {
    const a = await side({}, {}, createHttpServer(), { accepts: () => false });
    const refused = open(`ws://127.0.0.1:${a.port}/sip`);
    const hungUp = await new Promise((resolve) => refused.once('error', resolve));
    assert.match(String(hungUp), /hang up/);
    assert.equal(a.counters.connectionsRefused, 1);
  });

  it('closes on a message above the limit with 1009, and on text other than UTF-8 with 1007', async () => {
    const a = await side({ messageSize: 300 });
    const long = await browser(a.port);
    long.send('x'.repeat(301));
    assert.equal((await once(long, 'close', { signal: inTime() }))[0], 1009);
    const bad = await browser(a.port);
    bad.send(Buffer.from([0xff]), { binary: false });
    assert.equal((await once(bad, 'close', { signal: inTime() }))[0], 1007);
    assert.deepEqual([a.counters.streamsBroken, a.counters.oversizedDropped], [2, 1]);
  });

  it('bounds the sockets in total and of one address, without closed ones', async () => {
    const a = await side({ maxPerSource: 1 });
    const first = await browser(a.port);
    assert.equal(await refusalOf(open(`ws://127.0.0.1:${a.port}/sip`)), 429);
    const closed = a.closed();
    first.close();
    await closed;
    await browser(a.port);
    const b = await side({ maxSockets: 1 });
    await browser(b.port);
    assert.equal(await refusalOf(open(`ws://127.0.0.1:${b.port}/sip`)), 503);
    assert.deepEqual([a.counters.connectionsRefused, b.counters.connectionsRefused], [1, 1]);
  });

  it('a failed handshake does not count against the limit', async () => {
    const a = await side({ maxPerSource: 1 });
    const broken = connect(a.port, '127.0.0.1');
    broken.write('GET /sip HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n');
    broken.write('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: sip\r\n\r\n');
    assert.match(String((await once(broken, 'data', { signal: inTime() }))[0]), /^HTTP\/1\.1 400 /);
    await once(broken, 'close', { signal: inTime() });
    await browser(a.port);
  });

  it('bounds the send queue of a peer that does not read', async () => {
    const a = await side({ sendQueueSize: 50_000 });
    const client = await browser(a.port);
    const arrived = a.message();
    client.send(text());
    const [, flow] = await arrived;
    client.pause();
    const failed = a.failure();
    for (let count = 0; count < 2_000; count += 1)
      a.transport.sendOn({ flow: flow.id }, flow.id, 'x'.repeat(10_000));
    assert.match((await failed)[0].sentence, /send queue is full/);
  });

  it('reports a closed socket once, also when it closes all sockets itself', async () => {
    const a = await side();
    const client = await browser(a.port);
    const arrived = a.message();
    client.send(text());
    const [, flow] = await arrived;
    const closed = a.closed();
    const gone = once(client, 'close', { signal: inTime() });
    await a.transport.close();
    assert.equal((await closed)[0].id, flow.id);
    assert.equal((await gone)[0], 1001);
    assert.equal(a.transport.sendOn({ flow: flow.id }, flow.id, text()), false);
  });

  it('over HTTPS its flows and addresses are wss', { skip: noOpenssl }, async () => {
    const authority = createAuthority();
    const a = await side({}, {}, createHttpsServer(authority.issue('DNS:localhost')));
    const client = open(`wss://127.0.0.1:${a.port}/sip`, 'sip', {
      ca: authority.pem,
      servername: 'localhost',
    });
    await once(client, 'open', { signal: inTime() });
    const arrived = a.message();
    client.send(text());
    assert.equal((await arrived)[1].protocol, 'wss');
    assert.equal(a.transport.addresses[0]?.protocol, 'wss');
  });
});
