import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { createTransports, type SocketTransports, type TransportsOptions } from './transports.ts';

// Counted from the test on: files of one process are loaded long before they run.
const inTime = () => AbortSignal.timeout(60_000);
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Transports that keep the serial numbers of messages, and how many bytes of them each turn of the event loop has handled. */
async function receiver(readingLimits: TransportsOptions['readingLimits'] = {}) {
  const serials: number[] = [];
  let awaited: { readonly count: number; readonly done: () => void } | undefined;
  let inTurn = 0;
  let most = 0;
  const transports = await createTransports({
    host: '127.0.0.1',
    port: 0,
    readingLimits,
    onMessage(message) {
      serials.push(Number(/Call-ID: (\d+)/.exec(message)![1]));
      inTurn += message.length;
      most = Math.max(most, inTurn);
      if (serials.length === awaited?.count) awaited.done();
    },
  });
  let turn = setImmediate(function next() {
    inTurn = 0;
    turn = setImmediate(next);
  });
  closers.push(
    () => transports.close(),
    () => clearImmediate(turn),
  );
  const received = (count: number): Promise<void> =>
    new Promise((resolve) => {
      if (serials.length >= count) resolve();
      else awaited = { count, done: resolve };
    });
  return { transports, serials, received, most: () => most, port: transports.addresses[0]!.port };
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

async function dialWebSocket(transports: SocketTransports): Promise<WebSocket> {
  const server: Server = createHttpServer();
  transports.attachWebSocket(server, { path: '/sip' });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/sip`, 'sip');
  closers.push(() => server.close());
  closers.push(() => client.terminate());
  await once(client, 'open', { signal: inTime() });
  return client;
}

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
