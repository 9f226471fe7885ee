import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A frame as the server received it; of a binary frame the header. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
export type GotFrame = any;

/** The server of a customer: accepts streams and keeps every frame. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly frames: GotFrame[];
  /** Upgrade requests: paths, headers, and names of TLS. */
  readonly requests: { readonly url: string; readonly headers: Record<string, unknown> }[];
  readonly sockets: WebSocket[];
  readonly closes: { readonly code: number; readonly reason: string }[];
  /** Sends to the last socket. */
  say(frame: object | string | Buffer): void;
  /** Resolves with the first matching frame from number `from` on. */
  until(isMeant: (frame: GotFrame) => boolean, from?: number): Promise<GotFrame>;
  closed(): Promise<{ readonly code: number; readonly reason: string }>;
  stop(): Promise<void>;
}

export interface TestServerOptions {
  readonly key?: string;
  readonly cert?: string;
  readonly autoPong?: boolean;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { key, cert, autoPong = true } = options;
  const http = key === undefined ? createServer() : createTlsServer({ key, cert });
  const server = new WebSocketServer({ server: http, autoPong });
  const frames: GotFrame[] = [];
  const sockets: WebSocket[] = [];
  const requests: { url: string; headers: Record<string, unknown> }[] = [];
  const closes: { code: number; reason: string }[] = [];
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  server.on('connection', (socket, request) => {
    sockets.push(socket);
    requests.push({ url: request.url!, headers: request.headers });
    socket.on('error', () => {});
    socket.on('message', (data: Buffer, isBinary) => {
      frames.push(isBinary ? readBinary(data) : JSON.parse(data.toString('utf8')));
      change();
    });
    socket.on('close', (code, reason) => {
      closes.push({ code, reason: reason.toString() });
      change();
    });
    change();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `${key === undefined ? 'ws' : 'wss'}://stream.example:${port}/agent?x=1`,
    port,
    frames,
    requests,
    sockets,
    closes,
    say: (frame) =>
      sockets
        .at(-1)!
        .send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)),
    async until(isMeant, from = 0) {
      for (let at = from; ; ) {
        for (; at < frames.length; at++) if (isMeant(frames[at])) return frames[at];
        await changed.promise;
      }
    },
    async closed() {
      while (closes.length === 0) await changed.promise;
      return closes.at(-1)!;
    },
    async stop() {
      for (const socket of sockets) socket.terminate();
      server.close();
      await new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
    },
  };
}

function readBinary(data: Buffer): GotFrame {
  const offset = data[1]!;
  return {
    event: 'binary',
    version: data[0],
    track: data.toString('utf8', 20, 20 + data[2]!),
    sequenceNumber: data.readUInt32BE(4),
    chunk: data.readUInt32BE(8),
    timestamp: Number(data.readBigUInt64BE(12)),
    audio: data.subarray(offset),
  };
}

/** The samples of a media frame of 16-bit audio. */
export function samplesOf(payload: string): Int16Array {
  const bytes = Buffer.from(payload, 'base64');
  return Int16Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(2 * i));
}

/** A tone as the bytes of 16-bit audio. */
export function toneBytes(rate: number, hz: number, ms: number): Buffer {
  const bytes = Buffer.alloc(2 * Math.round((rate * ms) / 1000));
  for (let i = 0; i < bytes.length / 2; i++) {
    bytes.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * hz * i) / rate)), 2 * i);
  }
  return bytes;
}

/** Asserts one frame of 20 ms for each 20 ms: a machine that stalls makes the clock jump forward; nothing else changes its pace. */
export function assertOneClock(frames: readonly GotFrame[]): void {
  const marks = frames.map(({ media, ...binary }) => media ?? binary);
  let jumped = 0;
  for (const { chunk, timestamp } of marks) {
    const late = Number(timestamp) - Number(marks[0].timestamp) - 20 * (chunk - marks[0].chunk);
    assert.ok(late === jumped || late > jumped + 200, `chunk ${chunk} is ${late} ms behind`);
    jumped = late;
  }
}
