import type { Server as HttpServer } from 'node:http';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import { createTransportCounters, type TransportCounters } from './counters.ts';
import type { ConnectionLimits } from './stream-connection.ts';
import { createTcpTransport } from './stream-transport.ts';
import { type Certificate, createTlsTransport, type TlsTransport } from './tls-transport.ts';
import type { LocalAddress, SendTarget, TransportListener } from './transport-listener.ts';
import { createUdpTransport } from './udp-transport.ts';
import {
  type AttachOptions,
  createWebSocketTransport,
  type WebSocketLimits,
} from './web-socket-transport.ts';

/** Options of the transports of one SIP address. */
export interface TransportsOptions extends TransportListener {
  readonly host: string;
  /** One port for UDP and TCP; 0 takes any port that is free in both. */
  readonly port: number;
  /** SIP over TLS; without it `tls` targets fail. */
  readonly tls?: {
    /** 0 takes any free port. */
    readonly port: number;
    readonly certificate: Certificate;
    /** PEM of authorities that peers may have their certificates from besides the public ones. */
    readonly authorities?: readonly string[];
  };
  readonly limits?: Partial<ConnectionLimits>;
  readonly webSocketLimits?: Partial<WebSocketLimits>;
  /** Connections at once over TCP, and as many over TLS, 20,000; WebSockets have `webSocketLimits`. */
  readonly maxConnections?: number;
  /** Of those, accepted from one address, 5,000. */
  readonly maxPerSource?: number;
}

/** SIP over every transport of one address. */
export interface Transports {
  /**
   * Sends a message; a failure comes back through `onSendFailed`, later. A flow that is gone fails: the caller knows
   * whether there is another way.
   */
  send(target: SendTarget, text: ByteString): void;
  /** The flow of that id while it is alive. */
  flowById(id: string): Flow | undefined;
  /** Those that listen at this moment, UDP first. */
  readonly addresses: readonly LocalAddress[];
  readonly counters: Readonly<TransportCounters>;
  /** Live connections of TCP, TLS and WebSocket. */
  readonly connections: number;
  /** Whoever is on that flow has shown who it is: its connection may stay. */
  keep(flow: string): void;
  /** Cuts the connection of that flow off; UDP has none. */
  cut(flow: string): void;
  /** Flushes and closes everything; no socket is left when it resolves. */
  close(): Promise<void>;
}

/** Transports over real sockets. */
export interface SocketTransports extends Transports {
  /** Takes SIP over WebSocket from an HTTP server of the caller's. */
  attachWebSocket(server: HttpServer, options: AttachOptions): void;
  /** Ends SIP over WebSocket alone: an HTTP server cannot close before its last socket is gone. */
  closeWebSockets(): Promise<void>;
  /** Shows another certificate from the next handshake on; throws when it does not fit its key. */
  renewCertificate(certificate: Certificate): void;
}

/** Binds UDP, TCP and, where told, TLS; rejects when one of them cannot be bound, and leaves nothing open then. */
export async function createTransports(options: TransportsOptions): Promise<SocketTransports> {
  const counters = createTransportCounters();
  const { udp, tcp, tls } = await bindAll(options, counters);
  const webSocketLimits = options.webSocketLimits === undefined ? {} : { limits: options.webSocketLimits };
  const ws = createWebSocketTransport({ listener: options, counters, ...webSocketLimits });
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
      else failed(target, text, 'There is no TLS without a certificate.');
      return;
    }
    const datagrams = udp.flowById(target.flow);
    if (datagrams !== undefined) udp.send(target, datagrams.remoteAddress, datagrams.remotePort, text);
    else if (!connected.some((transport) => transport.sendOn(target, target.flow, text))) {
      failed(target, text, 'The connection is gone.');
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

// With port 0 the kernel picks one for UDP, and another program may hold the same number on TCP.
const ATTEMPTS = 10;

async function bindAll(options: TransportsOptions, counters: TransportCounters) {
  const { host, port, limits, maxConnections, maxPerSource } = options;
  const messageSize = limits?.messageSize === undefined ? {} : { messageSize: limits.messageSize };
  const bounds = {
    listener: options,
    counters,
    ...(maxConnections === undefined ? {} : { maxConnections }),
    ...(maxPerSource === undefined ? {} : { maxPerSource }),
    ...(limits === undefined ? {} : { limits }),
  };
  // First, because a taken port of its own is no reason to try again.
  const tls: TlsTransport | undefined =
    options.tls === undefined ? undefined : await createTlsTransport({ host, ...bounds, ...options.tls });
  try {
    for (let attempt = 1; ; attempt += 1) {
      const udp = await createUdpTransport({ host, port, listener: options, counters, ...messageSize });
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
