import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import { createTransportCounters, type TransportCounters } from './counters.ts';
import type { ConnectionLimits } from './tcp-connection.ts';
import { createTcpTransport } from './tcp-transport.ts';
import type { LocalAddress, SendTarget, TransportListener } from './transport-listener.ts';
import { createUdpTransport } from './udp-transport.ts';

/** Options of the transports of one SIP address. */
export interface TransportsOptions extends TransportListener {
  readonly host: string;
  /** One port for UDP and TCP; 0 takes any port that is free in both. */
  readonly port: number;
  readonly limits?: Partial<ConnectionLimits>;
  readonly maxConnections?: number;
}

/** SIP over UDP and TCP on one address. */
export interface Transports {
  /**
   * Sends a message; a failure comes back through `onSendFailed`, later. A flow that is gone fails: the caller knows
   * whether there is another way.
   */
  send(target: SendTarget, text: ByteString): void;
  /** The flow of that id while it is alive. */
  flowById(id: string): Flow | undefined;
  readonly addresses: readonly LocalAddress[];
  readonly counters: Readonly<TransportCounters>;
  /** Live TCP connections. */
  readonly connections: number;
  /** Flushes and closes everything; no socket is left when it resolves. */
  close(): Promise<void>;
}

/** Binds UDP and TCP; rejects when either cannot be bound, and leaves nothing open then. */
export async function createTransports(options: TransportsOptions): Promise<Transports> {
  const counters = createTransportCounters();
  const { udp, tcp } = await bindBoth(options, counters);
  const send = (target: SendTarget, text: ByteString): void => {
    if ('protocol' in target) {
      if (target.protocol === 'udp') udp.send(target, target.host, target.port, text);
      else tcp.sendTo(target, target.host, target.port, text);
      return;
    }
    const datagrams = udp.flowById(target.flow);
    if (datagrams !== undefined) udp.send(target, datagrams.remoteAddress, datagrams.remotePort, text);
    else if (!tcp.sendOn(target, target.flow, text)) {
      counters.sendFailures += 1;
      process.nextTick(() => options.onSendFailed?.({ target, text, sentence: 'The connection is gone.' }));
    }
  };
  return {
    send,
    flowById: (id) => udp.flowById(id) ?? tcp.flowById(id),
    addresses: [udp.address, tcp.address],
    counters,
    get connections() {
      return tcp.connections;
    },
    async close() {
      await Promise.all([udp.close(), tcp.close()]);
    },
  };
}

// With port 0 the kernel picks one for UDP, and another program may hold the same number on TCP.
const ATTEMPTS = 10;

async function bindBoth(options: TransportsOptions, counters: TransportCounters) {
  const { host, port, limits, maxConnections } = options;
  const messageSize = limits?.messageSize === undefined ? {} : { messageSize: limits.messageSize };
  const bounds = maxConnections === undefined ? {} : { maxConnections };
  for (let attempt = 1; ; attempt += 1) {
    const udp = await createUdpTransport({ host, port, listener: options, counters, ...messageSize });
    try {
      const own = { host, port: udp.address.port, listener: options, counters };
      const tcp = await createTcpTransport({
        ...own,
        ...bounds,
        ...(limits === undefined ? {} : { limits }),
      });
      return { udp, tcp };
    } catch (error) {
      await udp.close();
      if (port !== 0 || attempt === ATTEMPTS) throw error;
    }
  }
}
