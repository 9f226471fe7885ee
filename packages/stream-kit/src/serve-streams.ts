import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PlatformFrame } from '@jackfield/contract';
import { type WebSocket, WebSocketServer } from 'ws';
import { readPlatformFrame, StreamSession } from './stream-session.ts';
import { judgeUpgrade, type UpgradeJudgement } from './verify-upgrade.ts';

export interface StreamServerOptions {
  readonly port?: number;
  readonly host?: string;
  /** An existing HTTP server, which is neither opened nor closed here. */
  readonly server?: Server;
  readonly path?: string;
  /** With both, upgrades that the platform did not sign for this URL are refused with 401; without both, no upgrade is checked. */
  readonly serviceUrl?: string;
  readonly authToken?: string;
  /** An upgrade was refused: a header is missing, or no signature matches the signed text. */
  readonly onRefused?: (judgement: Extract<UpgradeJudgement, { readonly isSigned: false }>) => void;
  readonly onStream: (stream: StreamSession) => void;
}

export interface StreamServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A connection without a `start` frame in this time is closed. */
const startMs = 10_000;
/** The platform sends no longer frames. */
const longestFrame = 64 * 1024;

/**
 * A WebSocket server for streams; `onStream` is called when the `start` of a stream has arrived. Rejects with a TypeError where one of
 * `serviceUrl` and `authToken` is given alone, or is empty.
 */
export async function serveStreams(options: StreamServerOptions): Promise<StreamServer> {
  const { path = '/', serviceUrl, authToken, onStream } = options;
  refuseHalfSigned(options);
  const http = options.server ?? createServer((_request, response) => response.writeHead(426).end());
  const sockets = new WebSocketServer({
    server: http,
    path,
    maxPayload: longestFrame,
    perMessageDeflate: false,
    verifyClient({ req }, answer) {
      if (serviceUrl === undefined || authToken === undefined) return answer(true);
      const judgement = judgeUpgrade(serviceUrl, req.headers, authToken);
      if (!judgement.isSigned) options.onRefused?.(judgement);
      answer(judgement.isSigned, 401);
    },
  });
  // The WebSocket server repeats the errors of the HTTP server, whose own listener reports them.
  sockets.on('error', () => {});
  sockets.on('connection', (socket) => awaitStart(socket, onStream));
  if (options.server === undefined) {
    await listen(http, options.port ?? 0, options.host ?? '127.0.0.1');
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

/** A variable of the environment that is not set must not open a server to everyone. */
function refuseHalfSigned({ serviceUrl, authToken }: StreamServerOptions): void {
  if (serviceUrl === undefined && authToken === undefined) return;
  for (const [name, value] of Object.entries({ serviceUrl, authToken }))
    if (!value)
      throw new TypeError(
        `${name} is ${value === '' ? '""' : value}: set serviceUrl and authToken, or leave both out to accept unsigned upgrades`,
      );
}

async function listen(http: Server, port: number, host: string): Promise<void> {
  http.listen(port, host);
  try {
    await once(http, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'another program listens there: choose another port' : message;
    throw new Error(`port ${port} of ${host} cannot be opened: ${why}`, { cause: error });
  }
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
    else socket.close(1002, 'the first frame is not start');
  });
}
