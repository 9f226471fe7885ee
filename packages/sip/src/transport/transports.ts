import type { Server as HttpServer } from 'node:http';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import { createTransportCounters, type TransportCounters } from './counters.ts';
import type { BindDatagramBatches } from './datagram-batches.ts';
import { type ReadingLimits, ReadingTurns } from './reading-turns.ts';
import type { LookupName } from './socket-lookup.ts';
import type { ConnectionLimits } from './stream-connection.ts';
import { createTcpTransport } from './stream-transport.ts';
import { type Certificate, createTlsTransport, type TlsTransport } from './tls-transport.ts';
import type { LocalAddress, SendTarget, TransportListener } from './transport-listener.ts';
import { createUdpTransport } from './udp-transport.ts';
import { createWebSocketTransport, type WebSocketLimits } from './web-socket-transport.ts';
import type { AttachOptions } from './web-socket-upgrades.ts';

/** Options of the transports of one SIP address. */
export interface TransportsOptions extends TransportListener {
  readonly host: string;
  /** One port for UDP and TCP; 0 binds any port that is free in both. */
  readonly port: number;
  /** SIP over TLS; without it `tls` targets fail. */
  readonly tls?: {
    /** 0 binds any free port. */
    readonly port: number;
    readonly certificate: Certificate;
    /** Trusted authorities, as PEM, besides the public ones. */
    readonly authorities?: readonly string[];
  };
  readonly limits?: Partial<ConnectionLimits>;
  readonly webSocketLimits?: Partial<WebSocketLimits>;
  /** Of TCP, TLS, WebSocket and the HTTP servers with WebSockets together. */
  readonly readingLimits?: Partial<ReadingLimits>;
  /** The most connections over TCP, and as many over TLS, 20,000; WebSockets have `webSocketLimits`. */
  readonly maxConnections?: number;
  /** The most accepted ones of one source, 5,000. */
  readonly maxPerSource?: number;
  /** Binds UDP sockets that carry datagrams in batches; node:dgram carries each of them alone. */
  readonly bindBatches?: BindDatagramBatches | undefined;
  /** Looks up the host names of targets; getaddrinfo when absent. */
  readonly lookup?: LookupName;
}

/** SIP over every transport of one address. */
export interface Transports {
  /**
   * Sends a message; a failure comes back through `onSendFailed`, later. A closed flow fails: the caller decides on another
   * target.
   */
  send(target: SendTarget, text: ByteString): void;
  /** The flow of that id while it is alive. */
  flowById(id: string): Flow | undefined;
  /** The listening addresses, UDP first. */
  readonly addresses: readonly LocalAddress[];
  readonly counters: Readonly<TransportCounters>;
  /** Live connections of TCP, TLS and WebSocket. */
  readonly connections: number;
  /** Marks the peer of that flow as authenticated: its connection may stay. */
  keep(flow: string): void;
  /** Closes the connection of that flow at once; UDP has none. */
  cut(flow: string): void;
  /** Flushes and closes everything; no socket is left when it resolves. */
  close(): Promise<void>;
}

/** Transports over real sockets. */
export interface SocketTransports extends Transports {
  /** Accepts SIP over WebSocket on the caller's HTTP server. */
  attachWebSocket(server: HttpServer, options: AttachOptions): void;
  /** Ends SIP over WebSocket only: an HTTP server cannot close before its last socket. */
  closeWebSockets(): Promise<void>;
  /** Uses another certificate from the next handshake on; throws when it does not match its key. */
  renewCertificate(certificate: Certificate): void;
}

/** Binds UDP, TCP and, with `tls`, TLS; rejects when one of them cannot be bound, and then leaves nothing open. */
export async function createTransports(options: TransportsOptions): Promise<SocketTransports> {
  const counters = createTransportCounters();
  const turns = new ReadingTurns(options.readingLimits);
  const { udp, tcp, tls } = await bindAll(options, counters, turns);
  const webSocketLimits = options.webSocketLimits === undefined ? {} : { limits: options.webSocketLimits };
  const ws = createWebSocketTransport({ listener: options, counters, turns, ...webSocketLimits });
  const connected = [tcp, ...(tls === undefined ? [] : [tls]), ws];

  const failed = (target: SendTarget, text: ByteString, sentence: string): void => {
    counters.sendFailures += 1;
    process.nextTick(() => options.onSendFailed?.({ target, text, sentence }));
  };
  const send = (target: SendTarget, text: ByteString): void => {
    if ('protocol' in target) {
      if (target.protocol === 'udp') udp.send(target, target.host, target.port, text);
      else if (target.protocol === 'tcp') tcp.sendTo(target, text);
      else if (tls !== undefined) tls.sendTo(target, text);
      else failed(target, text, 'TLS is not enabled: it needs a certificate.');
      return;
    }
    const datagrams = udp.flowById(target.flow);
    if (datagrams !== undefined) udp.send(target, datagrams.remoteAddress, datagrams.remotePort, text);
    else if (!connected.some((transport) => transport.sendOn(target, target.flow, text))) {
      failed(target, text, 'The connection is closed.');
    }
  };
  return {
    send,
    flowById(id) {
      return udp.flowById(id) ?? tcp.flowById(id) ?? tls?.flowById(id) ?? ws.flowById(id);
    },
    get addresses() {
      return [udp.address, tcp.address, ...(tls === undefined ? [] : [tls.address]), ...ws.addresses];
    },
    counters,
    get connections() {
      return connected.reduce((sum, transport) => sum + transport.connections, 0);
    },
    keep(flow) {
      for (const transport of connected) transport.keep(flow);
    },
    cut(flow) {
      for (const transport of connected) transport.cut(flow);
    },
    attachWebSocket: ws.attach,
    closeWebSockets: ws.close,
    renewCertificate: (certificate) => tls?.renew(certificate),
    async close() {
      await Promise.all([udp.close(), ...connected.map((transport) => transport.close())]);
    },
  };
}

// With port 0 the kernel picks one for UDP, which may be taken on TCP.
const ATTEMPTS = 10;

async function bindAll(options: TransportsOptions, counters: TransportCounters, turns: ReadingTurns) {
  const { host, port, limits, maxConnections, maxPerSource, lookup } = options;
  const messageSize = limits?.messageSize === undefined ? {} : { messageSize: limits.messageSize };
  const bounds = {
    listener: options,
    counters,
    turns,
    ...(maxConnections === undefined ? {} : { maxConnections }),
    ...(maxPerSource === undefined ? {} : { maxPerSource }),
    ...(limits === undefined ? {} : { limits }),
    ...(lookup === undefined ? {} : { lookup }),
  };
  // First, outside the attempts: they do not help against a taken TLS port.
  const tls: TlsTransport | undefined =
    options.tls === undefined ? undefined : await createTlsTransport({ host, ...bounds, ...options.tls });
  try {
    for (let attempt = 1; ; attempt += 1) {
      const udp = await createUdpTransport({
        host,
        port,
        listener: options,
        counters,
        bindBatches: options.bindBatches,
        ...messageSize,
        ...(lookup === undefined ? {} : { lookup }),
      });
      try {
        return { udp, tcp: await createTcpTransport({ host, port: udp.address.port, ...bounds }), tls };
      } catch (error) {
        await udp.close();
        if (port !== 0 || attempt === ATTEMPTS) throw error;
      }
    }
  } catch (error) {
    await tls?.close();
    throw error;
  }
}
