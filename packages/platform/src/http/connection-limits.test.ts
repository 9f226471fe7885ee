import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createServer } from './create-server.ts';
import { defaultHttpLimits, type HttpLimits } from './http-limits.ts';
import { listeningApi } from './testing/listening-api.ts';

// Counted from the test on: files of one process are loaded long before they run.
const inTime = () => AbortSignal.timeout(30_000);
const ends: (() => unknown)[] = [];
after(async () => {
  for (const end of ends.reverse()) await end();
});

async function listening(limits: Partial<HttpLimits>, trustedSources: readonly string[] = []) {
  const api = await listeningApi({ limits, trustedSources });
  ends.push(() => api.close());
  return api;
}

/** A socket that is not read does not notice that the other side has closed. */
async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await once(socket, 'close', { signal: inTime() });
}

async function answerTo(socket: Socket): Promise<string> {
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(socket, 'data', { signal: inTime() });
  return String(answer).split('\r\n')[0]!;
}

describe('Connections of the HTTP port', () => {
  it('are bounded for each source, so that other sources are still served, and a closed connection frees its slot', async () => {
    const { dial, metrics } = await listening({ connectionsPerSource: 2 });
    const [first, second] = [await dial(), await dial()];
    assert.equal(await answerTo(second), 'HTTP/1.1 200 OK');
    await closed(await dial());
    assert.equal(await answerTo(await dial('127.0.0.9')), 'HTTP/1.1 200 OK');
    assert.match(await metrics.text(), /^jackfield_http_connections_refused_total 1$/m);
    first.destroy();
    while (!/^jackfield_http_connections 2$/m.test(await metrics.text())) await nextTurn();
    assert.equal(await answerTo(await dial()), 'HTTP/1.1 200 OK');
  });

  it('are bounded in total, and those of trusted sources by nothing else', async () => {
    const { dial } = await listening({ connections: 2, connectionsPerSource: 1 }, ['127.0.0.0/8']);
    const open = [await dial(), await dial()];
    assert.equal(await answerTo(open[1]!), 'HTTP/1.1 200 OK');
    await closed(await dial('127.0.0.9'));
  });

  it('are cut off when the header of a request does not come in time, however slowly it drips', async () => {
    const { dial } = await listening({ headersMs: 100, lookMs: 20 });
    const socket = await dial();
    const answer = once(socket, 'data', { signal: inTime() });
    socket.write('GET /healthz HTTP/1.1\r\n');
    const drip = setInterval(() => socket.write('X: y\r\n'), 10);
    socket.once('close', () => clearInterval(drip));
    assert.match(String((await answer)[0]), /^HTTP\/1\.1 408 /);
    await closed(socket);
  });

  it('end with the answer that a closing server still gives', async () => {
    const limits = { ...defaultHttpLimits, idleMs: 3_600_000 };
    const answering = Promise.withResolvers<ServerResponse>();
    const server = createServer((_request, response) => answering.resolve(response), {
      limits,
      metrics: createMetrics(),
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    ends.push(() => socket.destroy());
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const answer = await answering.promise;
    // The client has the whole answer before the server regards it as ended.
    answer.writeHead(200, { 'content-length': '2' }).write('ok');
    let text = '';
    while (!text.endsWith('\r\n\r\nok')) text += (await once(socket, 'data', { signal: inTime() }))[0];
    server.close().closeIdleConnections();
    answer.end();
    await Promise.all([once(server, 'close', { signal: inTime() }), closed(socket)]);
  });
});
