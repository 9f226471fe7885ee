import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import { createTransportCounters, type TransportCounters } from './counters.ts';
import { OpenConnections } from './open-connections.ts';
import { ReadingTurns } from './reading-turns.ts';
import type { LocalAddress, SendTarget, TransportListener } from './transport-listener.ts';
import { refuseUpgrade } from './upgrade-refusal.ts';
import { createWebSocketConnection, type WebSocketConnection } from './web-socket-connection.ts';
import { type AttachOptions, type WebSocketClient, WebSocketUpgrades } from './web-socket-upgrades.ts';

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
  /** Shared with other transports of the process; its own when absent. */
  readonly turns?: ReadingTurns;
}

/** SIP over WebSocket on existing HTTP servers (RFC 7118). */
export interface WebSocketTransport {
  /**
   * Handles the upgrade requests of one path; refuses those of other paths if the server has no other upgrade listener. All connections of
   * the server are read in the turns of this transport, those with HTTP requests as well. To be called once for a server.
   */
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
  const { listener, turns = new ReadingTurns() } = options;
  const counters = options.counters ?? createTransportCounters();
  const limits = { ...DEFAULT_WEB_SOCKET_LIMITS, ...options.limits };
  const open = new OpenConnections<WebSocketConnection>(listener, counters);
  const openSockets = (): number => open.size;
  const upgrades = new WebSocketUpgrades({ listener, counters, limits, openSockets, adopt });
  const servers = new Set<HttpServer>();
  const detachers: (() => void)[] = [];
  // One timer for all sockets.
  const sweep = setInterval(() => {
    for (const connection of open.values()) connection.ping();
  }, limits.pingMs);
  sweep.unref();
  let isClosed = false;

  function adopt(webSocket: WebSocket, request: IncomingMessage, client: WebSocketClient): void {
    counters.connectionsAccepted += 1;
    const flow = flowOf(request, client, open.newId('ws'));
    const onClosed = (): void => {
      upgrades.released(flow.remoteAddress);
      open.closed(flow);
    };
    open.add(createWebSocketConnection({ webSocket, flow, limits, listener, counters, onClosed }));
  }

  return {
    attach(server, attachment) {
      servers.add(server);
      detachers.push(attach(server, attachment, upgrades), turns.limitServer(server));
    },
    sendOn: (target, id, text) => open.sendOn(target, id, text),
    flowById: (id) => open.flowById(id),
    keep: (id) => open.keep(id),
    cut: (id) => open.cut(id),
    get addresses() {
      return [...servers].flatMap(addressOf);
    },
    get connections() {
      return open.size;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      upgrades.close();
      clearInterval(sweep);
      for (const detach of detachers) detach();
      servers.clear();
      await open.closeAll(limits.closeGraceMs);
    },
  };
}

/** Passes the upgrade requests of one path; returns the function that ends it. */
function attach(server: HttpServer, attachment: AttachOptions, upgrades: WebSocketUpgrades): () => void {
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (pathOf(request) === attachment.path) upgrades.upgrade(request, socket, head, attachment);
    else if (server.listenerCount('upgrade') === 1) {
      socket.on('error', () => socket.destroy());
      const sentence = `there is no WebSocket at ${JSON.stringify(pathOf(request))}: use ${attachment.path}`;
      refuseUpgrade(socket, { reason: 'no-such-path', sentence }, attachment.answerOf);
    }
  };
  server.on('upgrade', onUpgrade);
  return () => server.off('upgrade', onUpgrade);
}

function addressOf(server: HttpServer): readonly LocalAddress[] {
  const bound = server.address() as AddressInfo | string | null;
  if (bound === null || typeof bound === 'string') return [];
  const protocol = 'setSecureContext' in server ? ('wss' as const) : ('ws' as const);
  return [{ protocol, address: bound.address, port: bound.port }];
}

function flowOf({ socket }: IncomingMessage, client: WebSocketClient, id: string): Flow {
  const { remotePort = 0, localAddress = '', localPort = 0 } = socket;
  return {
    id,
    protocol: client.isEncrypted ? 'wss' : 'ws',
    reliable: true,
    remoteAddress: client.address,
    remotePort,
    localAddress,
    localPort,
  };
}

function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
