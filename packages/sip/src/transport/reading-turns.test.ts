import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { createTransports, type SocketTransports, type TransportsOptions } from './transports.ts';

// Counted from the test on: files of one process are loaded long before they run.
const inTime = () => AbortSignal.timeout(60_000);
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Counts in each turn of the event loop anew. */
function turnCounter(): { count(by?: number): number } {
  let inTurn = 0;
  let turn = setImmediate(function next() {
    inTurn = 0;
    turn = setImmediate(next);
  });
  closers.push(() => clearImmediate(turn));
  return {
    count(by = 1) {
      inTurn += by;
      return inTurn;
    },
  };
}

/** Transports that keep the serial numbers of messages, and how many bytes of them each turn of the event loop has handled. */
async function receiver(readingLimits: TransportsOptions['readingLimits'] = {}) {
  const turns = turnCounter();
  const serials: number[] = [];
  let awaited: { readonly count: number; readonly done: () => void } | undefined;
  let most = 0;
  const transports = await createTransports({
    host: '127.0.0.1',
    port: 0,
    readingLimits,
    onMessage(message) {
      serials.push(Number(/Call-ID: (\d+)/.exec(message)![1]));
      most = Math.max(most, turns.count(message.length));
      if (serials.length === awaited?.count) awaited.done();
    },
  });
  closers.push(() => transports.close());
  const received = (count: number): Promise<void> =>
    new Promise((resolve) => {
      if (serials.length >= count) resolve();
      else awaited = { count, done: resolve };
    });
  return { transports, turns, serials, received, most: () => most, port: transports.addresses[0]!.port };
}

function message(serial: number): string {
  return `OPTIONS sip:a@b SIP/2.0\r\nCall-ID: ${serial}\r\nContent-Length: 0\r\n\r\n`;
}

const numbers = (count: number, first = 0): number[] => Array.from({ length: count }, (_, at) => first + at);

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  closers.push(() => socket.destroy());
  await once(socket, 'connect', { signal: inTime() });
  return socket;
}

async function httpPort(transports: SocketTransports, listener?: RequestListener): Promise<number> {
  const server = createHttpServer(listener);
  transports.attachWebSocket(server, { path: '/sip' });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function dialWebSocket(transports: SocketTransports): Promise<WebSocket> {
  const client = new WebSocket(`ws://127.0.0.1:${await httpPort(transports)}/sip`, 'sip');
  closers.push(() => client.terminate());
  await once(client, 'open', { signal: inTime() });
  return client;
}

const chunk = '1\r\nx\r\n';
const post = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('a connection that sends without a pause', () => {
  it('leaves each turn of the event loop to others, over TCP: all messages come, in order', async () => {
    const { received, serials, most, port } = await receiver({ ofConnection: 1_000 });
    const flooder = await dial(port);
    // A FIN behind the last message takes none of them away.
    flooder.end(numbers(3_000).map(message).join(''));
    await received(3_000);
    assert.deepEqual(serials, numbers(3_000));
    // What was read before the counter of the test ran, and after it.
    assert.ok(most() < 2 * 1_100, `${most()} bytes of 190,000 in one turn`);
  });

  it('leaves each turn of the event loop to others, over a WebSocket: all messages come, in order', async () => {
    const { transports, received, serials, most } = await receiver({ ofConnection: 1_000 });
    const flooder = await dialWebSocket(transports);
    for (const serial of numbers(3_000)) flooder.send(message(serial));
    flooder.close();
    await received(3_000);
    assert.deepEqual(serials, numbers(3_000));
    assert.ok(most() < 2 * 1_100, `${most()} bytes of 190,000 in one turn`);
  });

  it('leaves each turn of the event loop to others, over HTTP: the whole body comes', async () => {
    const { transports, turns } = await receiver({ ofConnection: 1_000 });
    let [bytes, most] = [0, 0];
    const port = await httpPort(transports, (request, response) => {
      request.on('data', (part: Buffer) => {
        bytes += part.length;
        most = Math.max(most, turns.count());
      });
      request.on('end', () => response.end('done'));
    });
    const flooder = await dial(port);
    const answered = once(flooder, 'data', { signal: inTime() });
    flooder.write(`${post}${chunk.repeat(30_000)}0\r\n\r\n`);
    assert.match(String(await answered), /done$/);
    assert.equal(bytes, 30_000);
    assert.ok(most <= (2 * 1_100) / chunk.length, `${most} of 30,000 chunks in one turn`);
  });

  it('is read no further while its listener has paused it', async () => {
    const { transports } = await receiver({ ofConnection: 1_000 });
    const first = Promise.withResolvers<IncomingMessage>();
    let bytes = 0;
    const port = await httpPort(transports, (request, response) => {
      request.on('data', (part: Buffer) => {
        bytes += part.length;
        request.socket.pause();
        first.resolve(request);
      });
      request.on('end', () => response.end('done'));
    });
    const flooder = await dial(port);
    const answered = once(flooder, 'data', { signal: inTime() });
    flooder.write(`${post}${chunk.repeat(3_000)}0\r\n\r\n`);
    const { socket } = await first.promise;
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    assert.ok(bytes < 400, `${bytes} of 3,000 bytes after the pause`);
    const goOn = setInterval(() => socket.resume());
    closers.push(() => clearInterval(goOn));
    await answered;
    assert.equal(bytes, 3_000);
  });

  it('does not keep a message of another connection waiting, however many they are', async () => {
    const { received, serials, port } = await receiver({
      ofConnection: 500,
      ofWaiting: 1_000,
      inTurn: 2_000,
    });
    const flooders = await Promise.all(numbers(20).map(() => dial(port)));
    const phone = await dial(port);
    for (const [at, flooder] of flooders.entries())
      flooder.write(
        numbers(1_000, 10_000 * (at + 1))
          .map(message)
          .join(''),
      );
    await received(500);
    phone.write(message(1));
    await received(20_001);
    const before = serials.indexOf(1);
    assert.ok(before < 5_000, `${before} of 20,000 messages before it`);
    // Each has its turn after the others.
    for (const [at] of flooders.entries()) {
      const first = serials.indexOf(10_000 * (at + 1));
      assert.ok(first < 2_000, `${first} messages of others before the first of connection ${at}`);
    }
  });

  it('is passed over once it has ended while it waits', async () => {
    const { received, serials, port } = await receiver({ ofConnection: 200, ofWaiting: 200, inTurn: 400 });
    const gone = await dial(port);
    gone.write(numbers(1_000, 10_000).map(message).join(''));
    await received(3);
    gone.resetAndDestroy();
    const phone = await dial(port);
    phone.write(numbers(100).map(message).join(''));
    await new Promise<void>((resolve) => {
      const look = (): void => void (serials.includes(99) ? resolve() : setImmediate(look));
      look();
    });
    assert.deepEqual(
      serials.filter((serial) => serial < 100),
      numbers(100),
    );
  });
});
