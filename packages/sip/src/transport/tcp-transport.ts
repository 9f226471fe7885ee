import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import { createTransportCounters, type TransportCounters } from './counters.ts';
import { type ConnectionLimits, createTcpConnection, type TcpConnection } from './tcp-connection.ts';
import type { LocalAddress, SendTarget, TransportListener } from './transport-listener.ts';

/** Options of a TCP transport. */
export interface TcpTransportOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly listener: TransportListener;
  readonly limits?: Partial<ConnectionLimits>;
  /** Connections at once, in both directions together, 20,000. */
  readonly maxConnections?: number;
  /** How long `close` lets connections flush, 1,000 ms. */
  readonly closeGraceMs?: number;
  readonly counters?: TransportCounters;
}

/** SIP over TCP: a listening socket and connections that are opened on demand (RFC 3261 §18). */
export interface TcpTransport {
  readonly address: LocalAddress;
  /** Sends over the connection to that address and port, opening one where there is none. */
  sendTo(target: SendTarget, host: string, port: number, text: ByteString): void;
  /** Sends over a connection; false when it is gone. */
  sendOn(target: SendTarget, id: string, text: ByteString): boolean;
  flowById(id: string): Flow | undefined;
  /** Live connections. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Limits used where the caller names none. */
export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  messageSize: 65_535,
  idleMs: 3_900_000,
  halfMessageMs: 20_000,
  connectMs: 10_000,
  sendQueueSize: 1024 * 1024,
};

/** Listens on TCP; rejects when the address is taken or not ours. */
export async function createTcpTransport(options: TcpTransportOptions): Promise<TcpTransport> {
  const { host, port, listener, maxConnections = 20_000, closeGraceMs = 1_000 } = options;
  const counters = options.counters ?? createTransportCounters();
  const limits = { ...DEFAULT_CONNECTION_LIMITS, ...options.limits };
  const byId = new Map<string, TcpConnection>();
  const byPeer = new Map<string, TcpConnection>();
  // Ids of an earlier process must not meet ours: a binding may have outlived it.
  const instance = randomBytes(6).toString('hex');
  let serial = 0;
  let isClosed = false;
  let lastConnectionClosed: (() => void) | undefined;

  const adopt = (
    socket: Socket,
    remoteAddress: string,
    remotePort: number,
    isOutbound: boolean,
  ): TcpConnection => {
    serial += 1;
    const id = `tcp-${instance}-${serial}`;
    const peer = peerKey(remoteAddress, remotePort);
    const { localAddress = address.address, localPort = address.port } = socket;
    const ends = { remoteAddress, remotePort, localAddress, localPort };
    const flow: { -readonly [Key in keyof Flow]: Flow[Key] } = {
      id,
      protocol: 'tcp',
      reliable: true,
      ...ends,
    };
    // A connection of ours was asked for by name and leaves from a port that nobody knew before.
    socket.once('connect', () => {
      flow.remoteAddress = socket.remoteAddress ?? remoteAddress;
      flow.localAddress = socket.localAddress ?? flow.localAddress;
      flow.localPort = socket.localPort ?? flow.localPort;
    });
    const onClosed = (): void => {
      byId.delete(id);
      if (byPeer.get(peer) === connection) byPeer.delete(peer);
      try {
        listener.onFlowClosed?.(flow);
      } catch (error) {
        counters.listenerFailures += 1;
        listener.onFault?.(error);
      }
      if (byId.size === 0) lastConnectionClosed?.();
    };
    const connection = createTcpConnection({
      socket,
      flow,
      isOutbound,
      limits,
      listener,
      counters,
      onClosed,
    });
    byId.set(id, connection);
    byPeer.set(peer, connection);
    return connection;
  };

  const server = createServer((socket) => {
    const { remoteAddress, remotePort } = socket;
    if (isClosed || byId.size >= maxConnections || remoteAddress === undefined || remotePort === undefined) {
      counters.connectionsRefused += 1;
      socket.destroy();
      return;
    }
    counters.connectionsAccepted += 1;
    adopt(socket, remoteAddress, remotePort, false);
  });
  const listening = once(server, 'listening');
  server.listen({ host, port, backlog: 1024, ipv6Only: true });
  await listening;
  server.on('error', (error) => listener.onFault?.(error));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('a TCP server has an address and a port');
  const address: LocalAddress = { protocol: 'tcp', address: bound.address, port: bound.port };

  const open = (toHost: string, toPort: number): TcpConnection => {
    counters.connectionsOpened += 1;
    return adopt(connect({ host: toHost, port: toPort }), toHost, toPort, true);
  };

  return {
    address,
    sendTo(target, toHost, toPort, text) {
      const known = byPeer.get(peerKey(toHost, toPort));
      if (known !== undefined) {
        known.send(target, text);
        return;
      }
      const problem = refusal(toHost, toPort, isClosed, byId.size >= maxConnections);
      if (problem === undefined) open(toHost, toPort).send(target, text);
      else {
        counters.sendFailures += 1;
        process.nextTick(() => listener.onSendFailed?.({ target, text, sentence: problem }));
      }
    },
    sendOn(target, id, text) {
      const connection = byId.get(id);
      connection?.send(target, text);
      return connection !== undefined;
    },
    flowById: (id) => byId.get(id)?.flow,
    get connections() {
      return byId.size;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      const closed = once(server, 'close');
      server.close();
      for (const connection of byId.values()) connection.end();
      const grace = setTimeout(() => {
        for (const connection of byId.values()) connection.destroy();
      }, closeGraceMs);
      // The server waits for the connections that it accepted, not for those that we opened.
      if (byId.size > 0) await new Promise<void>((resolve) => (lastConnectionClosed = resolve));
      await closed;
      clearTimeout(grace);
    },
  };
}

function refusal(host: string, port: number, isClosed: boolean, isFull: boolean): string | undefined {
  if (isClosed) return 'The transport is closed.';
  if (isFull) return 'There are too many connections.';
  if (host === '' || !Number.isInteger(port) || port < 1 || port > 65_535)
    return `${host} port ${port} is no place to send to.`;
  return undefined;
}

function peerKey(host: string, port: number): string {
  return `${host}/${port}`;
}
