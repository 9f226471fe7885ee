import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, test } from 'node:test';
import type { EgressOutcome } from '@jackfield/ports';
import { createNameLookup } from '../name-lookup/index.ts';
import { createHttpEgress } from './http-egress.ts';

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, 'close');
  }
});

/** Runs `say` over TCP for each request. */
async function talker(say: (socket: Socket, request: number) => void): Promise<number> {
  let requests = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('data', () => say(socket, ++requests));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const newEgress = () => createHttpEgress({ resolve: createNameLookup(), allow: [], privateToo: true });

const send = (port: number, egress = newEgress()) =>
  egress.send({
    url: `http://127.0.0.1:${port}/`,
    method: 'POST',
    headers: {},
    body: 'a=b',
    timeouts: { connectMs: 20_000, readMs: 20_000, totalMs: 40_000 },
    maxBodyBytes: 1_000,
  });
const problemOf = (outcome: EgressOutcome) => ('problem' in outcome ? outcome.problem : undefined);
const bodyOf = (outcome: EgressOutcome) =>
  'problem' in outcome ? outcome.problem.sentence : Buffer.from(outcome.body).toString();

/** Writes `piece` as fast as the other side reads, until it closes. */
function pour(socket: Socket, piece: string): void {
  while (socket.writable && socket.write(piece));
  if (socket.writable) socket.once('drain', () => pour(socket, piece));
}

const hello = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello';

/** Two requests over one connection. */
async function saysHelloTwice(port: number): Promise<void> {
  const egress = newEgress();
  assert.equal(bodyOf(await send(port, egress)), 'hello');
  await new Promise(setImmediate);
  assert.equal(bodyOf(await send(port, egress)), 'hello');
  assert.equal(sockets.size, 1);
  egress.close();
}

test('an answer after twenty interim answers is accepted, and the connection is kept', async () => {
  const port = await talker((socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20) + hello));
  await saysHelloTwice(port);
});

test('100 Continue is passed over in front of an answer, wherever its bytes are divided', async () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
  const said = `${interim}HTTP/1.1 103 Early Hints\r\nlink: HTTP/1.1 100\r\n\r\n${interim}`;
  const port = await talker((socket, request) => {
    if (request === 1) return void socket.write(said + hello);
    socket.setNoDelay(true);
    const bytes = [...said];
    const next = () => {
      const byte = bytes.shift();
      if (byte === undefined) socket.write(hello);
      else socket.write(byte, () => setImmediate(next));
    };
    next();
  });
  await saysHelloTwice(port);
});

test('a final answer that holds the bytes of 100 Continue comes unchanged', async () => {
  const body = 'HTTP/1.1 100 Continue\r\n\r\n';
  const port = await talker((socket) =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  );
  assert.equal(bodyOf(await send(port)), body);
});

test('interim answers without end are cut', async () => {
  const port = await talker((socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)));
  assert.deepEqual(problemOf(await send(port)), {
    kind: 'broken',
    sentence: 'more than 20 interim answers came before the answer',
  });
});

test('a chunk extension without end is cut, and the status is reported', async () => {
  const port = await talker((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;');
    pour(socket, 'a'.repeat(65_536));
  });
  const problem = problemOf(await send(port));
  assert.deepEqual([problem?.kind, problem?.status], ['too-large', 200]);
});
