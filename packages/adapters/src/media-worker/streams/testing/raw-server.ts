import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { StreamTarget } from '@jackfield/ports';

/** A server that handles its connections as the test decides. */
export interface RawServer {
  readonly url: string;
  readonly port: number;
  readonly sockets: Set<Socket>;
}

export async function startRawServer(
  context: TestContext,
  take: (socket: Socket) => void,
  server: Server = createServer(take),
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `ws://stream.example:${port}/`, port, sockets };
}

export function targetOf({ url, port }: Pick<RawServer, 'url' | 'port'>, timeoutMs: number): StreamTarget {
  return { url, addresses: ['127.0.0.1'], port, headers: {}, timeoutMs };
}

/** Answers the upgrade as RFC 6455 §4.2.2 requires, then sends nothing more. */
export function upgrade(socket: Socket): void {
  socket.once('data', (bytes) => {
    const key = /sec-websocket-key: (\S+)/i.exec(bytes.toString())![1];
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
  });
}

/** Opcodes of RFC 6455 §5.2. */
export const opcode = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const;

/** A frame as a server sends it, with at most 125 bytes (RFC 6455 §5.2). */
export function rawFrame(code: number, payload = '', isFinal = true): Buffer {
  const bytes = Buffer.from(payload, 'latin1');
  return Buffer.concat([Buffer.from([(isFinal ? 0x80 : 0) | code, bytes.length]), bytes]);
}

/** The whole frames in what a client has sent, masked as RFC 6455 §5.3 requires. */
export function readMasked(bytes: Buffer): readonly { readonly code: number; readonly payload: string }[] {
  const frames: { code: number; payload: string }[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const isLong = (bytes[at + 1]! & 0x7f) === 126;
    const length = isLong ? bytes.readUInt16BE(at + 2) : bytes[at + 1]! & 0x7f;
    const mask = at + (isLong ? 4 : 2);
    const end = mask + 4 + length;
    if (end > bytes.length) break;
    const payload = bytes.subarray(mask + 4, end).map((byte, index) => byte ^ bytes[mask + (index % 4)]!);
    frames.push({ code: bytes[at]! & 0x0f, payload: Buffer.from(payload).toString('latin1') });
    at = end;
  }
  return frames;
}
