import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Type } from 'typebox';
import { accepted } from '../kernel/result.ts';
import type { HttpApiDeps } from './http-api.ts';
import { listeningApi } from './testing/listening-api.ts';

// Counted from the test on: files of one process are loaded long before they run.
const inTime = () => AbortSignal.timeout(120_000);
const ends: (() => unknown)[] = [];
after(async () => {
  for (const end of ends.reverse()) await end();
});

async function listening(options: Partial<HttpApiDeps> = {}) {
  const api = await listeningApi(options);
  ends.push(() => api.close());
  return api;
}

const request = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

async function gone(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await once(socket, 'close', { signal: inTime() });
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use after garbage collection. */
function heldBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Reads until that many status lines have come. */
async function statuses(socket: Socket, count: number): Promise<readonly string[]> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const found = text.match(/HTTP\/1\.1 \d+/g) ?? [];
    if (found.length >= count) return found;
  }
  return text.match(/HTTP\/1\.1 \d+/g) ?? [];
}

/** A document of more than two megabytes, as large as that of the whole platform. */
const large = {
  name: 'Large',
  description: 'x'.repeat(2_000_000),
  routes: [
    {
      method: 'GET' as const,
      path: 'Large/',
      operation: 'See much',
      schema: { response: Type.Object({}) },
      success: 200 as const,
      run: async () => ({ ok: true as const, value: {} }),
    },
  ],
};

describe('Requests of one connection', () => {
  it('need little memory by the thousand while its client reads nothing, and other connections are answered', async () => {
    const { dial, metrics } = await listening({
      features: [large],
      limits: { strangerRequests: 1_000_000 },
      trustedSources: ['127.0.0.0/8'],
    });
    const other = await dial('127.0.0.9');
    other.write(request('/openapi.json'));
    await statuses(other, 1);
    const before = heldBytes();
    const floods = await Promise.all(Array.from({ length: 4 }, () => dial()));
    // 1,500 at once, which is one chunk of what Node reads, and 4 that stay within the limit.
    for (const flood of floods) flood.pause().write(request('/openapi.json').repeat(1_500));
    const patient = await Promise.all(Array.from({ length: 8 }, () => dial()));
    for (const each of patient) each.pause().write(request('/openapi.json').repeat(4));
    other.write(request('/healthz'));
    assert.deepEqual(await statuses(other, 1), ['HTTP/1.1 200']);
    const signal = inTime();
    while (!(await metrics.text()).includes('jackfield_http_pipelining_refused_total 4')) {
      assert.ok(!signal.aborted, 'the floods are refused');
      await nextTurn();
    }
    const held = heldBytes() - before;
    assert.ok(held < 16_000_000, `${held} bytes are held for connections that read nothing`);
    for (const each of [...floods, ...patient]) each.destroy();
    while (!/^jackfield_http_connections 1$/m.test(await metrics.text())) await nextTurn();
    const left = heldBytes() - before;
    assert.ok(left < 4_000_000, `${left} bytes are left`);
  });

  it('are answered in order, one after the other, up to the limit of waiting requests', async () => {
    const { dial } = await listening();
    const socket = await dial();
    socket.write(
      [200, 404, 200, 404].map((status) => request(status === 200 ? '/healthz' : '/none')).join(''),
    );
    const found = await statuses(socket, 4);
    assert.deepEqual(found, ['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200', 'HTTP/1.1 404']);
  });

  it('are not carried out behind an answer that closes the connection', async () => {
    const asked: string[] = [];
    const noted = {
      methods: ['GET' as const],
      path: '/noted/:name',
      run: ({ params }: { readonly params: Readonly<Record<string, string>> }) => {
        asked.push(params.name ?? '');
        return accepted({});
      },
    };
    const { dial } = await listening({ features: [{ name: 'Noted', routes: [], open: [noted] }] });
    const socket = await dial();
    socket.write(request('/noted/first', 'Connection: close\r\n') + request('/noted/second'));
    await gone(socket);
    assert.deepEqual(asked, ['first']);
  });

  it('end with their connection when its client reads nothing of an answer for too long', async () => {
    const { dial, metrics } = await listening({ features: [large], limits: { stalledMs: 200 } });
    const socket = await dial();
    // More than the kernel keeps for a reader that does not read.
    socket.pause().write(request('/openapi.json').repeat(8));
    const signal = inTime();
    while (!(await metrics.text()).includes('jackfield_http_connections_stalled_total 1')) {
      assert.ok(!signal.aborted, 'the connection is cut');
      await nextTurn();
    }
    await gone(socket);
    while (!/^jackfield_http_connections 0$/m.test(await metrics.text())) await nextTurn();
  });
});
