import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import { createTransportCounters, type TransportCounters } from './counters.ts';
import type { ReadingTurns } from './reading-turns.ts';
import type { LookupName } from './socket-lookup.ts';
import type { ConnectionLimits } from './stream-connection.ts';
import { StreamConnections } from './stream-connections.ts';
import { type ConnectTarget, createTcpWire, type StreamWire } from './stream-wire.ts';
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
  /** Shared with other transports of the process; its own when absent. */
  readonly turns?: ReadingTurns;
  /** Looks up the host names of targets; getaddrinfo when absent. */
  readonly lookup?: LookupName;
}

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

/** Listens on TCP; rejects when the address is taken or not ours. */
export function createTcpTransport(options: StreamTransportOptions): Promise<StreamTransport> {
  return createStreamTransport(options, createTcpWire(options.lookup));
}

/** Listens for connections of that wire; rejects when the address is taken or not ours. */
export async function createStreamTransport(
  options: StreamTransportOptions,
  wire: StreamWire,
): Promise<StreamTransport> {
  const { host, port, listener, closeGraceMs = 1_000 } = options;
  const counters = options.counters ?? createTransportCounters();
  const server = createServer();
  const listening = once(server, 'listening');
  server.listen({ host, port, backlog: 1024, ipv6Only: true });
  await listening;
  server.on('error', (error) => listener.onFault?.(error));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('a TCP server has an address and a port');
  const address: LocalAddress = { protocol: wire.protocol, address: bound.address, port: bound.port };
  const connections = new StreamConnections(options, counters, wire, address);
  server.on('connection', (socket) => connections.accept(socket));
  const { open } = connections;
  let closing: Promise<void> | undefined;

  return {
    address,
    sendTo: (target, text) => connections.sendTo(target, text),
    sendOn: (target, id, text) => open.sendOn(target, id, text),
    flowById: (id) => open.flowById(id),
    keep: (id) => open.keep(id),
    cut: (id) => open.cut(id),
    get connections() {
      return open.size;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };

  async function close(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    // `server.close` waits for accepted connections only.
    await connections.close(closeGraceMs);
    await closed;
  }
}
