import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createHttpEgress } from './http-egress.ts';

/** A listener on 127.0.0.4 whose thread accepts nothing before `release`: the kernel drops SYNs, and the client repeats them after 1 s. */
async function blockedReceiver(t: TestContext): Promise<{ port: number; release(): void }> {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    const server = require('node:net').createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\\r\\ncontent-length: 4\\r\\n\\r\\nslow'));
    });
    server.listen({ port: 0, host: '127.0.0.4', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(workerData, 0, 0);
    });`,
    { eval: true, workerData: flag },
  );
  const [port] = await once(thread, 'message');
  // Linux queues one connection more than the backlog.
  const queued = [1, 2].map(() => connect({ port, host: '127.0.0.4' }));
  await Promise.all(queued.map((socket) => once(socket, 'connect')));
  const release = () => {
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  };
  t.after(async () => {
    release();
    for (const socket of queued) socket.destroy();
    await thread.terminate();
  });
  return { port, release };
}

async function ask(port: number, addresses: readonly string[], begun = () => {}): Promise<string> {
  const resolve = async () => addresses.map((address) => ({ address, family: 4 }));
  const egress = createHttpEgress({ resolve, allow: [], privateToo: true });
  const sent = egress.send({
    url: `http://several.example:${port}/`,
    method: 'GET',
    headers: {},
    timeouts: { connectMs: 20_000, readMs: 20_000, totalMs: 40_000 },
    maxBodyBytes: 1_000,
  });
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  begun();
  const outcome = await sent;
  egress.close();
  while (egress.openConnections() > 0) await new Promise(setImmediate);
  return 'problem' in outcome ? outcome.problem.sentence : Buffer.from(outcome.body).toString();
}

test('an address that is slow to accept has all the time to connect, also when another address refuses', async (t) => {
  const { port, release } = await blockedReceiver(t);
  assert.equal(await ask(port, ['127.0.0.4', '127.0.0.3'], release), 'slow');
});

test('addresses that refuse or are silent are passed over', async (t) => {
  const { port } = await blockedReceiver(t);
  const server = createServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnext')),
  );
  server.listen(port, '127.0.0.5');
  await once(server, 'listening');
  t.after(() => server.close());
  assert.equal(await ask(port, ['127.0.0.3', '127.0.0.4', '127.0.0.5']), 'next');
});

test('a name whose addresses all refuse is unreachable', async () => {
  const server = createServer().listen(0, '127.0.0.3');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  assert.equal(await ask(port, ['127.0.0.3', '127.0.0.4']), 'no connection: ECONNREFUSED');
});
