import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSqliteDatabase } from '@jackfield/adapters/database-sqlite';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createSecrets } from '@jackfield/adapters/secrets';
import { createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import type { FastifyInstance } from 'fastify';
import { createHttpApi, type HttpLimits } from './http-api.ts';

const signal = AbortSignal.timeout(30_000);
const ends: (() => unknown)[] = [];
after(async () => {
  for (const end of ends.reverse()) await end();
});

/** The real HTTP interface on a real port, with nothing behind it. */
async function listening(limits: Partial<HttpLimits>, trustedSources: readonly string[] = []) {
  const metrics = createMetrics();
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-'));
  const database = createSqliteDatabase({ directory, log: createRecordingLog() });
  ends.push(() => rmSync(directory, { recursive: true }));
  ends.push(() => database.close());
  const app: FastifyInstance = createHttpApi({
    features: [],
    accounts: { authenticate: async () => ({ outcome: 'wrong-credentials' }) },
    database,
    clock: createVirtualClock(),
    log: createRecordingLog(),
    metrics,
    secrets: createSecrets(new Uint8Array(32).fill(1)),
    ready: () => true,
    limits,
    trustedSources,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  ends.push(() => app.close());
  return { metrics, port: (app.server.address() as AddressInfo).port };
}

async function dial(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  ends.push(() => socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect', { signal });
  return socket;
}

/** A socket that nobody reads does not hear that the other side has closed. */
async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await once(socket, 'close', { signal });
}

async function answerTo(socket: Socket): Promise<string> {
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(socket, 'data', { signal });
  return String(answer).split('\r\n')[0]!;
}

describe('Connections of the HTTP port', () => {
  it('are bounded of one source, so that another one is still served, and a closed one frees its place', async () => {
    const { port, metrics } = await listening({ connectionsPerSource: 2 });
    const [first, second] = [await dial(port), await dial(port)];
    assert.equal(await answerTo(second), 'HTTP/1.1 200 OK');
    await closed(await dial(port));
    assert.equal(await answerTo(await dial(port, '127.0.0.9')), 'HTTP/1.1 200 OK');
    assert.match(await metrics.text(), /^jackfield_http_connections_refused_total 1$/m);
    first.destroy();
    while (!/^jackfield_http_connections 2$/m.test(await metrics.text())) await nextTurn();
    assert.equal(await answerTo(await dial(port)), 'HTTP/1.1 200 OK');
  });

  it('are bounded in all, and those of trusted sources by nothing else', async () => {
    const { port } = await listening({ connections: 2, connectionsPerSource: 1 }, ['127.0.0.0/8']);
    const open = [await dial(port), await dial(port)];
    assert.equal(await answerTo(open[1]!), 'HTTP/1.1 200 OK');
    await closed(await dial(port, '127.0.0.9'));
  });

  it('are cut off when the header of a request does not come in time, however slowly it drips', async () => {
    const { port } = await listening({ headersMs: 100, lookMs: 20 });
    const socket = await dial(port);
    const answer = once(socket, 'data', { signal });
    socket.write('GET /healthz HTTP/1.1\r\n');
    const drip = setInterval(() => socket.write('X: y\r\n'), 10);
    socket.once('close', () => clearInterval(drip));
    assert.match(String((await answer)[0]), /^HTTP\/1\.1 408 /);
    await closed(socket);
  });
});
