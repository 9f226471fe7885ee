import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import { createTransportCounters, type TransportCounters } from './counters.ts';
import { createSourceCounts } from './source-counts.ts';
import { type ConnectionLimits, createStreamConnection, type StreamConnection } from './stream-connection.ts';
import type { LocalAddress, SendTarget, TransportListener } from './transport-listener.ts';

/** Options of a transport over connections. */
export interface StreamTransportOptions {
  readonly host: string;
  /** 0 binds any free port. */
  readonly port: number;
  readonly listener: TransportListener;
  readonly limits?: Partial<ConnectionLimits>;
  /** The most connections, both directions together, 20,000. */
  readonly maxConnections?: number;
  /** The most accepted connections of one source, 5,000: enough for phones behind one NAT, and less than the total. */
  readonly maxPerSource?: number;
  /** The longest flush of connections at `close`, 1,000 ms. */
  readonly closeGraceMs?: number;
  readonly counters?: TransportCounters;
}

/** A host and port to connect to. */
export type ConnectTarget = Exclude<SendTarget, { readonly flow: string }>;

/** SIP over connections: a listening socket and connections that are opened on demand (RFC 3261 §18). */
export interface StreamTransport {
  readonly address: LocalAddress;
  /** Sends over the connection to that address and port, and opens one if there is none. */
  sendTo(target: ConnectTarget, text: ByteString): void;
  /** Sends over a connection; false when it is closed. */
  sendOn(target: SendTarget, id: string, text: ByteString): boolean;
  flowById(id: string): Flow | undefined;
  /** Marks the peer of that connection as authenticated. */
  keep(id: string): void;
  /** Closes a connection at once. */
  cut(id: string): void;
  /** Live connections. */
  readonly connections: number;
  close(): Promise<void>;
}

/** The differences between TCP and TLS. */
export interface StreamWire {
  readonly protocol: 'tcp' | 'tls';
  /** Prepares an accepted socket for SIP and passes it to `take`, unless the preparation fails. */
  accept(socket: Socket, take: (ready: Socket) => void): void;
  connect(target: ConnectTarget): Socket;
  readonly readyEvent: 'connect' | 'secureConnect';
  /** The key of the only connection that may carry a message to this target. */
  peerKey(target: ConnectTarget): string;
  /** The key under which an accepted connection may carry our requests; undefined when it may not. */
  acceptedKey(address: string, port: number): string | undefined;
}

/** Default limits. */
export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  messageSize: 65_535,
  idleMs: 3_900_000,
  halfMessageMs: 20_000,
  connectMs: 10_000,
  sendQueueSize: 1024 * 1024,
};

const tcpWire: StreamWire = {
  protocol: 'tcp',
  accept: (socket, take) => take(socket),
  connect: ({ host, port }) => connect({ host, port }),
  readyEvent: 'connect',
  peerKey: ({ host, port }) => `${host}/${port}`,
  acceptedKey: (address, port) => `${address}/${port}`,
};

/** Listens on TCP; rejects when the address is taken or not ours. */
export function createTcpTransport(options: StreamTransportOptions): Promise<StreamTransport> {
  return createStreamTransport(options, tcpWire);
}

/** Listens for connections of that wire; rejects when the address is taken or not ours. */
export async function createStreamTransport(
  options: StreamTransportOptions,
  wire: StreamWire,
): Promise<StreamTransport> {
  const {
    host,
    port,
    listener,
    maxConnections = 20_000,
    maxPerSource = 5_000,
    closeGraceMs = 1_000,
  } = options;
  const counters = options.counters ?? createTransportCounters();
  const limits = { ...DEFAULT_CONNECTION_LIMITS, ...options.limits };
  const byId = new Map<string, StreamConnection>();
  const byPeer = new Map<string, StreamConnection>();
  const sources = createSourceCounts(maxPerSource, listener.sourceOf);
  const pending = new Set<Socket>();
  // Ids must differ from those of an earlier process: bindings may still hold these.
  const instance = randomBytes(6).toString('hex');
  let serial = 0;
  let isClosed = false;
  let lastConnectionClosed: (() => void) | undefined;

  const adopt = (
    socket: Socket,
    remote: { readonly address: string; readonly port: number },
    peer: string | undefined,
    isOutbound: boolean,
  ): StreamConnection => {
    serial += 1;
    const id = `${wire.protocol}-${instance}-${serial}`;
    const { localAddress = address.address, localPort = address.port } = socket;
    const flow: { -readonly [Key in keyof Flow]: Flow[Key] } = {
      id,
      protocol: wire.protocol,
      reliable: true,
      remoteAddress: remote.address,
      remotePort: remote.port,
      localAddress,
      localPort,
    };
    // Known only after the connect: the address behind a host name, and our own port.
    socket.once('connect', () => {
      flow.remoteAddress = socket.remoteAddress ?? remote.address;
      flow.localAddress = socket.localAddress ?? flow.localAddress;
      flow.localPort = socket.localPort ?? flow.localPort;
    });
    const onClosed = (): void => {
      byId.delete(id);
      if (peer !== undefined && byPeer.get(peer) === connection) byPeer.delete(peer);
      try {
        listener.onFlowClosed?.(flow);
      } catch (error) {
        counters.listenerFailures += 1;
        listener.onFault?.(error);
      }
      if (byId.size === 0) lastConnectionClosed?.();
    };
    const connection = createStreamConnection({
      socket,
      flow,
      ...(isOutbound ? { readyEvent: wire.readyEvent } : {}),
      limits,
      listener,
      counters,
      onClosed,
    });
    byId.set(id, connection);
    if (peer !== undefined) byPeer.set(peer, connection);
    return connection;
  };

  const server = createServer((socket) => {
    const { remoteAddress, remotePort } = socket;
    const isFull = byId.size + pending.size >= maxConnections;
    if (isClosed || isFull || remoteAddress === undefined || remotePort === undefined) {
      counters.connectionsRefused += 1;
      socket.destroy();
      return;
    }
    if (listener.accepts?.(remoteAddress) === false || !sources.take(remoteAddress)) {
      counters.connectionsRefused += 1;
      socket.destroy();
      return;
    }
    counters.connectionsAccepted += 1;
    pending.add(socket);
    socket.once('close', () => {
      sources.release(remoteAddress);
      pending.delete(socket);
    });
    wire.accept(socket, (ready) => {
      pending.delete(socket);
      const remote = { address: remoteAddress, port: remotePort };
      adopt(ready, remote, wire.acceptedKey(remoteAddress, remotePort), false);
    });
  });
  const listening = once(server, 'listening');
  server.listen({ host, port, backlog: 1024, ipv6Only: true });
  await listening;
  server.on('error', (error) => listener.onFault?.(error));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('a TCP server has an address and a port');
  const address: LocalAddress = { protocol: wire.protocol, address: bound.address, port: bound.port };

  return {
    address,
    sendTo(target, text) {
      const key = wire.peerKey(target);
      const known = byPeer.get(key);
      if (known !== undefined) {
        known.send(target, text);
        return;
      }
      const problem = refusal(target, isClosed, byId.size + pending.size >= maxConnections);
      if (problem === undefined) {
        counters.connectionsOpened += 1;
        const remote = { address: target.host, port: target.port };
        adopt(wire.connect(target), remote, key, true).send(target, text);
      } else {
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
    keep: (id) => byId.get(id)?.keep(),
    cut: (id) => byId.get(id)?.destroy(),
    get connections() {
      return byId.size;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      const closed = once(server, 'close');
      server.close();
      for (const socket of pending) socket.destroy();
      for (const connection of byId.values()) connection.end();
      const grace = setTimeout(() => {
        for (const connection of byId.values()) connection.destroy();
      }, closeGraceMs);
      // `server.close` waits for accepted connections only.
      if (byId.size > 0) await new Promise<void>((resolve) => (lastConnectionClosed = resolve));
      await closed;
      clearTimeout(grace);
    },
  };
}

function refusal({ host, port }: ConnectTarget, isClosed: boolean, isFull: boolean): string | undefined {
  if (isClosed) return 'The transport is closed.';
  if (isFull) return 'There are too many connections.';
  if (host === '' || !Number.isInteger(port) || port < 1 || port > 65_535)
    return `"${host}" port ${port} is not a target: a host and a port from 1 to 65535 are needed.`;
  return undefined;
}
