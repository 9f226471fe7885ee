import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { RecognitionProblem } from '@jackfield/ports';
import { type EngineSide, speechEngineContract } from '@jackfield/testkit';
import { WebSocketServer } from 'ws';
import { createHttpSpeechEngine, createProcessSpeechEngine, createWebSocketSpeechEngine } from './index.ts';

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.splice(0)) await close();
});
/** No server listens on the discard port of this machine. */
const nowhere = '127.0.0.1:9';
/** A short limit where the other side never answers, and else a limit that even a busy machine does not reach. */
const limitsFor = (side: EngineSide) => ({ answerMs: side === 'silent' ? 500 : 60_000 });
/** More than an engine reads of an answer. */
const tooMuch = 'x'.repeat(2 << 20);

const bodies: Partial<Readonly<Record<EngineSide, string>>> = {
  understands: '{"text":" yes"}',
  nonsense: '<html>',
  repeating: '{"text":" yes"}{"text":" yes"}',
  endless: `{"text":"${tooMuch}"}`,
};

describe('An engine over HTTP', () => {
  speechEngineContract({
    async open(side) {
      if (side === 'away') return createHttpSpeechEngine({ url: `http://${nowhere}/` });
      const server = createServer((request, response) => {
        request.resume();
        const body = bodies[side];
        if (body !== undefined) request.on('end', () => response.end(body));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closing.push(() => {
        server.closeAllConnections();
        server.close();
      });
      const { port } = server.address() as AddressInfo;
      return createHttpSpeechEngine({ url: `http://127.0.0.1:${port}/`, limits: limitsFor(side) });
    },
  });
});

const yes = '{"type":"result","final":true,"text":"yes","confidence":0.9,"fromMs":500,"toMs":1500}';
const end = '{"type":"end"}';
const frames: Partial<Readonly<Record<EngineSide, readonly string[]>>> = {
  understands: [yes, end],
  nonsense: ['<html>'],
  repeating: [yes, end, yes, end],
  endless: [yes.replace('yes', tooMuch)],
};

describe('An engine over a WebSocket', () => {
  speechEngineContract({
    async open(side) {
      if (side === 'away') return createWebSocketSpeechEngine({ url: `ws://${nowhere}/` });
      const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
      await new Promise((resolve) => server.once('listening', resolve));
      closing.push(() => {
        for (const client of server.clients) client.terminate();
        server.close();
      });
      server.on('connection', (socket) => {
        if (side === 'stalled') socket.pause();
        // The engine closes the connection at once when it receives too much.
        socket.on('error', () => {});
        socket.on('message', (data, isBinary) => {
          if (isBinary || !data.toString().includes('finish')) return;
          for (const frame of frames[side] ?? []) socket.send(frame);
        });
      });
      const { port } = server.address() as AddressInfo;
      return createWebSocketSpeechEngine({ url: `ws://127.0.0.1:${port}/`, limits: limitsFor(side) });
    },
  });
});

test('An engine over a WebSocket that floods the platform with results is ended at a number of frames', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  closing.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    const flood = () => {
      if (socket.readyState !== socket.OPEN) return;
      for (let n = 0; n < 100; n++) socket.send(yes);
      setImmediate(flood);
    };
    flood();
  });
  const { port } = server.address() as AddressInfo;
  const engine = createWebSocketSpeechEngine({ url: `ws://127.0.0.1:${port}/`, limits: { frames: 500 } });
  let results = 0;
  const { promise, resolve } = Promise.withResolvers<RecognitionProblem | null>();
  // No `finish`: the deadline of answers has not begun.
  engine.open(
    { language: 'en-US', hints: [], model: null, profanityFilter: false, interim: true },
    { result: () => void results++, over: resolve },
  );
  assert.equal((await promise)?.code, 'engine-failed');
  assert.equal(results, 500);
  engine.close();
});

const programs = {
  understands: 'cat >/dev/null; echo yes',
  silent: 'exec sleep 60',
  nonsense: 'exit 3',
  repeating: 'cat >/dev/null; echo yes; echo yes',
  endless: 'exec yes',
  stalled: 'exec sleep 60',
} as const;

describe('An engine that is a program', () => {
  speechEngineContract({
    async open(side) {
      if (side === 'away') return createProcessSpeechEngine({ command: ['/nowhere/recogniser'] });
      const directory = await mkdtemp(join(tmpdir(), 'recogniser-'));
      closing.push(() => rm(directory, { recursive: true }));
      const program = join(directory, 'recogniser');
      await writeFile(program, `#!/bin/sh\n${programs[side]}\n`);
      await chmod(program, 0o755);
      return createProcessSpeechEngine({ command: [program], limits: limitsFor(side) });
    },
  });
});
