import { randomBytes } from 'node:crypto';
import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import { createTransportCounters, type TransportCounters } from './counters.ts';
import { createSourceCounts } from './source-counts.ts';
import type { LocalAddress, SendTarget, TransportListener } from './transport-listener.ts';
import {
  refuseUpgrade,
  tooManyOf,
  tooManySockets,
  type UpgradeAnswer,
  type UpgradeRefusal,
} from './upgrade-refusal.ts';
import { createWebSocketConnection, type WebSocketConnection } from './web-socket-connection.ts';

/** Bounds of SIP over WebSocket; times in milliseconds. */
export interface WebSocketLimits {
  /** One message, 65,535 bytes. */
  readonly messageSize: number;
  /** Bytes that may wait for a peer that does not read, 1 MiB. */
  readonly sendQueueSize: number;
  /** The longest time to the first message of a socket, 20,000. */
  readonly firstMessageMs: number;
  /** A socket is closed after this unless `keep` was called, whatever it sends; never when absent. */
  readonly strangerMs?: number;
  /** Ping interval; a socket without an answer by the next ping is closed. 30,000: proxies close idle sockets after 60 s. */
  readonly pingMs: number;
  /** The most sockets, 20,000. */
  readonly maxSockets: number;
  /** The most sockets of one source, 5,000: a reverse proxy has one address for all its browsers. */
  readonly maxPerSource: number;
  /** The longest wait of `close` for closing handshakes, 1,000. */
  readonly closeGraceMs: number;
}

/** Default limits. */
export const DEFAULT_WEB_SOCKET_LIMITS: WebSocketLimits = {
  messageSize: 65_535,
  sendQueueSize: 1024 * 1024,
  firstMessageMs: 20_000,
  pingMs: 30_000,
  maxSockets: 20_000,
  maxPerSource: 5_000,
  closeGraceMs: 1_000,
};

/** Options of SIP over WebSocket. */
export interface WebSocketTransportOptions {
  readonly listener: TransportListener;
  readonly limits?: Partial<WebSocketLimits>;
  readonly counters?: TransportCounters;
}

/** Path and allowed origins of SIP over WebSocket on an HTTP server. */
export interface AttachOptions {
  /** Path of the resource, e.g. `/sip`; a query is ignored. */
  readonly path: string;
  /**
   * Whether a page of that origin may connect; the default is yes. SIP authenticates by itself without cookies, so a foreign
   * page gains nothing. Only browsers send an origin.
   */
  readonly allowOrigin?: (origin: string | undefined) => boolean;
  /** The answer to a refused upgrade, as other errors of the HTTP server look; plain text when absent. */
  readonly answerOf?: (refusal: UpgradeRefusal) => UpgradeAnswer;
}

/** SIP over WebSocket on existing HTTP servers (RFC 7118). */
export interface WebSocketTransport {
  /** Handles the upgrade requests of one path; refuses those of other paths if the server has no other upgrade listener. */
  attach(server: HttpServer, options: AttachOptions): void;
  /** Sends over a socket; false when it is closed. */
  sendOn(target: SendTarget, id: string, text: ByteString): boolean;
  flowById(id: string): Flow | undefined;
  /** Marks the peer of that socket as authenticated. */
  keep(id: string): void;
  /** Closes a socket at once. */
  cut(id: string): void;
  /** Addresses of the attached servers that listen. */
  readonly addresses: readonly LocalAddress[];
  readonly connections: number;
  close(): Promise<void>;
}

/** A transport without a server. */
export function createWebSocketTransport(options: WebSocketTransportOptions): WebSocketTransport {
  const { listener } = options;
  const counters = options.counters ?? createTransportCounters();
  const limits = { ...DEFAULT_WEB_SOCKET_LIMITS, ...options.limits };
  const byId = new Map<string, WebSocketConnection>();
  const sources = createSourceCounts(limits.maxPerSource, listener.sourceOf);
  const servers = new Set<HttpServer>();
  const detachers: (() => void)[] = [];
  /** The options for a handshake under way. */
  const attachments = new WeakMap<IncomingMessage, AttachOptions>();
  const sockets = openSocketServer(limits.messageSize, (request) => attachments.get(request)?.answerOf);
  // Ids must differ from those of an earlier process: bindings may still hold these.
  const instance = randomBytes(6).toString('hex');
  let serial = 0;
  let isClosed = false;
  let lastSocketClosed: (() => void) | undefined;

  // One timer for all sockets.
  const sweep = setInterval(() => {
    for (const connection of byId.values()) connection.ping();
  }, limits.pingMs);
  sweep.unref();

  const adopt = (webSocket: WebSocket, request: IncomingMessage): void => {
    const { socket } = request;
    const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
    serial += 1;
    const flow: Flow = {
      id: `ws-${instance}-${serial}`,
      protocol: isEncrypted(socket) ? 'wss' : 'ws',
      reliable: true,
      remoteAddress,
      remotePort,
      localAddress,
      localPort,
    };
    counters.connectionsAccepted += 1;
    const onClosed = (): void => {
      byId.delete(flow.id);
      sources.release(remoteAddress);
      try {
        listener.onFlowClosed?.(flow);
      } catch (error) {
        counters.listenerFailures += 1;
        listener.onFault?.(error);
      }
      if (byId.size === 0) lastSocketClosed?.();
    };
    byId.set(flow.id, createWebSocketConnection({ webSocket, flow, limits, listener, counters, onClosed }));
  };

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, options: AttachOptions): void => {
    socket.on('error', () => socket.destroy());
    const source = request.socket.remoteAddress;
    if (source !== undefined && listener.accepts?.(source) === false) {
      counters.connectionsRefused += 1;
      socket.destroy();
      return;
    }
    const problem = refusal(request, options, isClosed || source === undefined);
    if (problem !== undefined) {
      refuseUpgrade(socket, problem, options.answerOf);
      return;
    }
    const isFull = byId.size >= limits.maxSockets;
    if (isFull || !sources.take(source!)) {
      counters.connectionsRefused += 1;
      const full = isFull ? tooManySockets(limits.maxSockets) : tooManyOf(source!, limits.maxPerSource);
      refuseUpgrade(socket, full, options.answerOf);
      return;
    }
    let isTaken = false;
    // When `ws` refuses a handshake it closes the socket without a callback.
    socket.once('close', () => {
      if (!isTaken) sources.release(source!);
    });
    attachments.set(request, options);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      isTaken = true;
      adopt(webSocket, request);
    });
  };

  return {
    attach(server, attachment) {
      servers.add(server);
      const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
        if (pathOf(request) === attachment.path) upgrade(request, socket, head, attachment);
        else if (server.listenerCount('upgrade') === 1) {
          socket.on('error', () => socket.destroy());
          const sentence = `there is no WebSocket at ${JSON.stringify(pathOf(request))}: use ${attachment.path}`;
          refuseUpgrade(socket, { reason: 'no-such-path', sentence }, attachment.answerOf);
        }
      };
      server.on('upgrade', onUpgrade);
      detachers.push(() => server.off('upgrade', onUpgrade));
    },
    sendOn(target, id, text) {
      const connection = byId.get(id);
      connection?.send(target, text);
      return connection !== undefined;
    },
    flowById: (id) => byId.get(id)?.flow,
    keep: (id) => byId.get(id)?.keep(),
    cut: (id) => byId.get(id)?.destroy(),
    get addresses() {
      return [...servers].flatMap((server) => {
        const bound = server.address() as AddressInfo | string | null;
        if (bound === null || typeof bound === 'string') return [];
        const protocol = 'setSecureContext' in server ? ('wss' as const) : ('ws' as const);
        return [{ protocol, address: bound.address, port: bound.port }];
      });
    },
    get connections() {
      return byId.size;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(sweep);
      for (const detach of detachers) detach();
      servers.clear();
      if (byId.size === 0) return;
      const emptied = new Promise<void>((resolve) => (lastSocketClosed = resolve));
      for (const connection of byId.values()) connection.end();
      const grace = setTimeout(() => {
        for (const connection of byId.values()) connection.destroy();
      }, limits.closeGraceMs);
      await emptied;
      clearTimeout(grace);
    },
  };
}

function openSocketServer(
  maxPayload: number,
  answerTo: (request: IncomingMessage) => AttachOptions['answerOf'],
): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload,
    // Compression needs more memory for each socket than it saves on SIP messages.
    perMessageDeflate: false,
    handleProtocols: () => 'sip',
  });
  // Handshakes that `ws` refuses, such as those without a key or with another version.
  sockets.on('wsClientError', (error, socket, request) => {
    const sentence = `${error.message}: a WebSocket of version 13 (RFC 6455 §4.2.1) is needed`;
    refuseUpgrade(socket, { reason: 'bad-handshake', sentence }, answerTo(request));
  });
  return sockets;
}

function isEncrypted(socket: IncomingMessage['socket']): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}

function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function refusal(
  request: IncomingMessage,
  { allowOrigin }: AttachOptions,
  isClosed: boolean,
): UpgradeRefusal | undefined {
  if (isClosed) return { reason: 'closed', sentence: 'SIP over WebSocket is closed' };
  // RFC 7118 §4.1: client and server must agree on `sip`.
  const given = request.headers['sec-websocket-protocol'] ?? '';
  if (!given.split(',').some((name) => name.trim() === 'sip')) {
    const sentence = `Sec-WebSocket-Protocol must contain sip, not ${JSON.stringify(given)}`;
    return { reason: 'wrong-subprotocol', sentence };
  }
  const { origin } = request.headers;
  if (allowOrigin === undefined || allowOrigin(origin)) return undefined;
  const sentence = `pages of the origin ${JSON.stringify(origin ?? '')} may not connect`;
  return { reason: 'wrong-origin', sentence };
}
