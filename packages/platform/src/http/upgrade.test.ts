import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createServer } from './create-server.ts';
import { defaultHttpLimits } from './http-limits.ts';

/** The answer to a request with these headers, from a server that has WebSockets. */
async function answerTo(...headers: readonly string[]): Promise<string> {
  const server = createServer(
    async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      response.end(`request with ${body}`);
    },
    { limits: defaultHttpLimits, metrics: createMetrics() },
  );
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(['POST /v1/ HTTP/1.1', 'Host: x', 'Content-Length: 4', ...headers, '', 'a=b&'].join('\r\n'));
  let text = '';
  while (!/^HTTP\/1.1 101|request with /.test(text)) text += (await once(socket, 'data'))[0];
  socket.destroy();
  server.close();
  await once(server, 'close');
  return text;
}

const ordinary = /^HTTP\/1\.1 200 OK\r\n.*request with a=b&$/s;

test('an offer to switch to another protocol than WebSocket is ignored, as clients of HTTP/2 make it (RFC 9110 §7.8)', async () => {
  const offer = [
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
  ];
  assert.match(await answerTo(...offer), ordinary);
  assert.match(await answerTo('Connection: upgrade', 'Upgrade: TLS/1.0, h2c'), ordinary);
});

test('an offer to switch to WebSocket among others is accepted', async () => {
  assert.match(await answerTo('Connection: Upgrade', 'Upgrade: websocket'), /^HTTP\/1.1 101/);
  assert.match(await answerTo('Connection: Upgrade', 'Upgrade: h2c, WebSocket'), /^HTTP\/1.1 101/);
});
