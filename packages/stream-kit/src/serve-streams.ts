import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PlatformFrame } from '@jackfield/contract';
import { type WebSocket, WebSocketServer } from 'ws';
import { readPlatformFrame, StreamSession } from './stream-session.ts';
import { verifyUpgrade } from './verify-upgrade.ts';

export interface StreamServerOptions {
  readonly port?: number;
  readonly host?: string;
  /** An HTTP server that exists already; it is neither opened nor closed here. */
  readonly server?: Server;
  readonly path?: string;
  /** Both given: upgrades that the platform did not sign for this URL are refused with 401. */
  readonly serviceUrl?: string;
  readonly authToken?: string;
  readonly onStream: (stream: StreamSession) => void;
}

export interface StreamServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A first frame that does not come in this time is no stream. */
const startMs = 10_000;
/** The platform sends no longer ones. */
const longestFrame = 64 * 1024;

/** A WebSocket server for streams: each one is handed over when its `start` has come. */
export async function serveStreams(options: StreamServerOptions): Promise<StreamServer> {
  const { path = '/', serviceUrl, authToken, onStream } = options;
  const http = options.server ?? createServer((_request, response) => response.writeHead(426).end());
  const sockets = new WebSocketServer({
    server: http,
    path,
    maxPayload: longestFrame,
    perMessageDeflate: false,
    verifyClient({ req }, answer) {
      const isSigned =
        serviceUrl === undefined ||
        authToken === undefined ||
        verifyUpgrade(serviceUrl, req.headers, authToken);
      answer(isSigned, 401);
    },
  });
  sockets.on('connection', (socket) => awaitStart(socket, onStream));
  if (options.server === undefined) {
    http.listen(options.port ?? 0, options.host ?? '127.0.0.1');
    await once(http, 'listening');
  }
  return {
    port: (http.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      if (options.server !== undefined) return;
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

function awaitStart(socket: WebSocket, onStream: (stream: StreamSession) => void): void {
  const timer = setTimeout(() => socket.close(1002, 'no start'), startMs);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.terminate());
  socket.once('message', (data) => {
    clearTimeout(timer);
    let frame: PlatformFrame | undefined;
    try {
      frame = readPlatformFrame(data.toString());
    } catch {
      frame = undefined;
    }
    if (frame?.event === 'start') onStream(new StreamSession(socket, frame));
    else socket.close(1002, 'the first frame is no start');
  });
}
