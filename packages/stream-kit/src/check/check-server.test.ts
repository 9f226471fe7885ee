import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { echo } from '../../examples/echo.ts';
import { parrot } from '../../examples/parrot.ts';
import { serveStreams } from '../serve-streams.ts';
import { checkServer, type RuleFinding } from './check-server.ts';

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.splice(0)) await close();
});

const brokenOf = (findings: readonly RuleFinding[]) =>
  findings.filter(({ held }) => held === false).map(({ rule }) => rule);
const heldOf = (findings: readonly RuleFinding[]) =>
  findings.filter(({ held }) => held === true).map(({ rule }) => rule);

/** A server with this behaviour, without the kit. */
async function serve(onSocket: (socket: WebSocket) => void, refuses = false): Promise<string> {
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    ...(refuses
      ? { verifyClient: (_: unknown, answer: (ok: boolean, code: number) => void) => answer(false, 403) }
      : {}),
  });
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  server.on('connection', onSocket);
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

// They wait for audio in real time, each for servers of its own.
describe('the check of a server', { concurrency: true }, () => {
  it('an echo with the kit keeps every rule, in each format', { timeout: 120_000 }, async () => {
    const formats = [
      { encoding: 'audio/x-l16', sampleRate: 8000 },
      { encoding: 'audio/x-l16', sampleRate: 24_000 },
      { encoding: 'audio/x-mulaw', sampleRate: 8000 },
    ] as const;
    await Promise.all(
      formats.map(async (format) => {
        const server = await serveStreams({ onStream: echo });
        closing.push(server.close);
        const url = `ws://127.0.0.1:${server.port}/`;
        const findings = await checkServer({ url, ...format, seconds: 1 });
        assert.deepEqual(brokenOf(findings), []);
        assert.ok(heldOf(findings).length >= 9, JSON.stringify(findings));
      }),
    );
  });

  it('an interrupted agent falls silent, and a server that checks signatures refuses strangers', {
    timeout: 60_000,
  }, async () => {
    const authToken = 'bXkgdG9rZW4';
    const http = createServer();
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const serviceUrl = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/`;
    const said: string[] = [];
    const server = await serveStreams({
      server: http,
      serviceUrl,
      authToken,
      onStream: (stream) => parrot(stream, (what) => said.push(what)),
    });
    closing.push(server.close, () => http.close());
    const findings = await checkServer({ url: serviceUrl, authToken, expectsSignatures: true, seconds: 2 });
    assert.deepEqual(brokenOf(findings), []);
    assert.ok(heldOf(findings).includes('falls silent when the caller speaks (clearAudio)'), said.join('\n'));
    assert.ok(heldOf(findings).includes('refuses upgrades that the platform did not sign'));
  });

  it('the check reports faults of a server: refusals, foreign frames, hanging up, unread audio, a missing close', {
    timeout: 60_000,
  }, async () => {
    const check = async (onSocket: (socket: WebSocket) => void, refuses = false) =>
      checkServer({ url: await serve(onSocket, refuses), seconds: 0.4 });
    const answering = (frame: object) => (socket: WebSocket) =>
      socket.on('message', () => socket.send(JSON.stringify(frame)));
    const [refusing, babbling, mixing, leaving, stubborn] = await Promise.all([
      check(() => {}, true),
      check(answering({ event: 'hello' })),
      check(answering({ event: 'clearAudio', streamId: '00000000-0000-4000-8000-000000000000' })),
      check((socket) => void setTimeout(() => socket.close(1011), 100)),
      // It reads, but never answers a close.
      check((socket) => {
        const raw = socket as unknown as { _receiver: { removeAllListeners(name: string): void } };
        raw._receiver.removeAllListeners('conclude');
      }),
    ]);
    assert.deepEqual(brokenOf(refusing), ['accepts the upgrade']);
    assert.match(refusing[0]?.seen ?? '', /403/);
    assert.deepEqual(brokenOf(babbling), [
      'keeps two streams apart',
      'tolerates bursts and gaps',
      'resumes a stream (start with resumed)',
      'sends nothing but frames of the protocol',
    ]);
    assert.ok(brokenOf(mixing).includes('keeps two streams apart'));
    assert.ok(brokenOf(leaving).includes('stays while the call lasts'));
    assert.ok(brokenOf(stubborn).includes('closes when the stream stops'));
  });

  it('an agent that greets first and falls silent on speech keeps the barge-in rule', {
    timeout: 60_000,
  }, async () => {
    const greeting = Buffer.alloc(2 * 8000 * 5, 1).toString('base64');
    const url = await serve((socket) => {
      let isSilent = false;
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data));
        if (frame.event === 'start') {
          const media = { contentType: 'audio/x-l16', sampleRate: 8000, payload: greeting };
          // In pieces that fit into a message.
          for (let part = 0; part < 2; part++) {
            const payload = greeting.slice(part * 40_000, (part + 1) * 40_000);
            socket.send(JSON.stringify({ event: 'playAudio', media: { ...media, payload } }));
          }
        }
        const isLoud = frame.event === 'media' && /[^A/]{8}/.test(frame.media.payload);
        if (!isLoud || isSilent) return;
        isSilent = true;
        socket.send('{"event":"clearAudio"}');
      });
    });
    const findings = await checkServer({ url, seconds: 0.4 });
    assert.deepEqual(brokenOf(findings), []);
    assert.ok(heldOf(findings).includes('falls silent when the caller speaks (clearAudio)'));
  });
});
