import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Metrics } from '@jackfield/ports';
import { oneAtATime } from './request-queue.ts';

// An import of node:http also loads the HTTP client of Node for its names WebSocket and MessageEvent: 80 ms of CPU and 3 MB.
const { createServer: createHttpServer } = process.getBuiltinModule('node:http');

export interface ServerLimits {
  /** How long a whole request may take to arrive. */
  readonly requestMs: number;
  /** How long the header of a request, or a TLS handshake, may take. */
  readonly headersMs: number;
  /** A connection is cut when its client reads nothing of an answer for so long. */
  readonly stalledMs: number;
  /** How long a connection may be idle between two requests. */
  readonly idleMs: number;
  /** How often those times are checked. */
  readonly lookMs: number;
  /** Requests of one connection that may wait while another one is answered. */
  readonly pipelinedRequests: number;
}

interface ServerDeps {
  readonly limits: ServerLimits;
  readonly metrics: Pick<Metrics, 'count'>;
  /** PEM of a certificate chain and its key: the server speaks HTTPS then. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

/**
 * The socket side of the HTTP interface. Node checks the times of open connections every half minute by default. RFC 8996:
 * nothing older than TLS 1.2.
 */
export function createServer(handler: RequestListener, { limits, metrics, certificate }: ServerDeps): Server {
  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.lookMs,
    // RFC 9110 §7.8: other offers are ignored, such as that of HTTP/2 by Java's HttpClient and by curl --http2.
    shouldUpgradeCallback: (request: IncomingMessage) =>
      isWebSocket(request) && server.listenerCount('upgrade') > 0,
  };
  const isClosing = () => !server.listening;
  const listener = oneAtATime(handler, { limit: limits.pipelinedRequests, metrics, isClosing });
  const server: Server =
    certificate === undefined
      ? createHttpServer(options, listener)
      : createHttpsServer(
          { ...options, ...certificate, minVersion: 'TLSv1.2', handshakeTimeout: limits.headersMs },
          listener,
        );
  server.setTimeout(limits.stalledMs, (socket) => {
    metrics.count('jackfield_http_connections_stalled_total');
    socket.destroy();
  });
  return server;
}

function isWebSocket({ headers: { upgrade = '' } }: IncomingMessage): boolean {
  return upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket');
}
