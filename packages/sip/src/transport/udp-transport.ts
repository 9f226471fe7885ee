import { createSocket, type RemoteInfo, type Socket, type SocketOptions } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import { createTransportCounters, type TransportCounters } from './counters.ts';
import {
  type AcceptDatagram,
  type BindDatagramBatches,
  createBatchReader,
  createBatchSender,
  type Datagram,
} from './datagram-batches.ts';
import { type LookupName, socketLookup } from './socket-lookup.ts';
import { bindingRequestOf, bindingSuccess } from './stun-binding.ts';
import type { LocalAddress, SendTarget, TransportListener } from './transport-listener.ts';

/** Options of a UDP transport. */
export interface UdpTransportOptions {
  readonly host: string;
  /** 0 binds any free port. */
  readonly port: number;
  readonly listener: TransportListener;
  /** The largest accepted datagram in bytes, 65,535. */
  readonly messageSize?: number;
  /** Requested kernel buffer for each direction, 4 MiB: holds a registration storm; the kernel may grant less. */
  readonly socketBufferSize?: number;
  readonly counters?: TransportCounters;
  /** Binds the socket so that it carries datagrams in batches; node:dgram carries each of them alone. */
  readonly bindBatches?: BindDatagramBatches | undefined;
  /** Looks up the host names of targets; getaddrinfo when absent. */
  readonly lookup?: LookupName;
}

/** SIP over one UDP socket (RFC 3261 §18). */
export interface UdpTransport {
  readonly address: LocalAddress;
  /** Sends a datagram; a failure comes back through the listener. */
  send(target: SendTarget, host: string, port: number, text: ByteString): void;
  /** The flow of that id; every peer has one, because UDP has no connections. */
  flowById(id: string): Flow | undefined;
  close(): Promise<void>;
}

/** About 2 MB. Each message looks its flow up by id three times, and parsing an id is expensive. A full table is emptied. */
const rememberedFlows = 10_000;

/** Binds a UDP socket; rejects when the address is taken or not ours. */
export async function createUdpTransport(options: UdpTransportOptions): Promise<UdpTransport> {
  const { host, port, listener, messageSize = 65_535, socketBufferSize = 4 * 1024 * 1024 } = options;
  const counters = options.counters ?? createTransportCounters();
  const isV6 = isIP(host) === 6;
  const socket = createSocket({
    type: isV6 ? 'udp6' : 'udp4',
    ipv6Only: isV6,
    lookup: socketLookup(options.lookup) as NonNullable<SocketOptions['lookup']>,
  });
  const listening = once(socket, 'listening');
  const batches = options.bindBatches?.(host, port);
  if (batches === undefined) socket.bind(port, host);
  else socket.bind({ fd: batches.descriptor });
  try {
    await listening;
  } catch (error) {
    socket.close();
    throw error;
  }
  growBuffers(socket, socketBufferSize);
  const bound = socket.address();
  const address: LocalAddress = { protocol: 'udp', address: bound.address, port: bound.port };
  let isClosed = false;

  const flows = flowsOf(address);

  const receive: AcceptDatagram = (text, fromAddress, fromPort) => {
    // The listener may close the transport in the midst of a batch.
    if (isClosed) return;
    if (isKeepAlive(text)) {
      counters.keepAlives += 1;
      return;
    }
    const request = bindingRequestOf(text);
    if (request !== undefined) {
      counters.keepAlives += 1;
      if (listener.answersStun?.(flows.to(fromAddress, fromPort))) {
        socket.send(bindingSuccess(request, fromAddress, fromPort), fromPort, fromAddress);
      }
      return;
    }
    if (text.length > messageSize) {
      counters.oversizedDropped += 1;
      return;
    }
    counters.messagesReceived += 1;
    try {
      listener.onMessage(text, flows.to(fromAddress, fromPort));
    } catch (error) {
      counters.listenerFailures += 1;
      listener.onFault?.(error);
    }
  };
  const readWaiting = batches && createBatchReader(batches, receive);
  socket.on('message', (datagram: Buffer, { address: from, port: fromPort }: RemoteInfo) => {
    receive(datagram.toString('latin1'), from, fromPort);
    // A closed descriptor may belong to another file.
    if (!isClosed) readWaiting?.();
  });
  // Errors such as ICMP unreachable concern one peer; the socket goes on.
  socket.on('error', (error) => listener.onFault?.(error));

  const failed = (target: SendTarget, text: ByteString, sentence: string): void => {
    counters.sendFailures += 1;
    listener.onSendFailed?.({ target, text, sentence });
  };

  const sendAlone = ({ target, host: toHost, port: toPort, text }: Datagram): void => {
    socket.send(Buffer.from(text, 'latin1'), toPort, toHost, (error) => {
      if (error) failed(target, text, error.message);
    });
  };
  const sender = batches && createBatchSender(batches, sendAlone);
  const send = sender?.send ?? sendAlone;

  return {
    address,
    send(target, toHost, toPort, text) {
      if (isClosed || !isSendable(toHost, toPort, isV6)) {
        const sentence = isClosed
          ? 'The transport is closed.'
          : `"${toHost}" port ${toPort} is not a target: a host of our address family and a port from 1 to 65535 are needed.`;
        process.nextTick(failed, target, text, sentence);
        return;
      }
      counters.messagesSent += 1;
      send({ target, host: toHost, port: toPort, text });
    },
    flowById: flows.byId,
    async close() {
      if (isClosed) return;
      sender?.flush();
      isClosed = true;
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** The flows of a socket, by the address of the peer. */
function flowsOf(local: LocalAddress) {
  const flows = new Map<string, Flow>();
  const to = (remoteAddress: string, remotePort: number): Flow => {
    const id = `udp-${remoteAddress}-${remotePort}`;
    const known = flows.get(id);
    if (known !== undefined) return known;
    const flow: Flow = {
      id,
      protocol: 'udp',
      reliable: false,
      remoteAddress,
      remotePort,
      localAddress: local.address,
      localPort: local.port,
    };
    if (flows.size >= rememberedFlows) flows.clear();
    flows.set(id, flow);
    return flow;
  };
  return {
    to,
    /** Undefined when the text is not the id of a UDP flow. */
    byId(id: string): Flow | undefined {
      const known = flows.get(id);
      if (known !== undefined) return known;
      const dash = id.lastIndexOf('-');
      const remoteAddress = id.slice('udp-'.length, dash);
      const remotePort = Number(id.slice(dash + 1));
      const isFlow = id.startsWith('udp-') && isIP(remoteAddress) !== 0 && isPort(remotePort);
      return isFlow ? to(remoteAddress, remotePort) : undefined;
    },
  };
}

// RFC 5626 §4.4.1 defines CRLF; phones also send four NULs, one byte, or an empty datagram.
function isKeepAlive(text: ByteString): boolean {
  if (text.length > 4) return false;
  for (const character of text) if (!'\r\n\0'.includes(character)) return false;
  return true;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536;
}

/** False for an address of the other family, which would fail in the kernel or be resolved again; true for any name. */
function isSendable(host: string, port: number, isV6: boolean): boolean {
  const family = isIP(host);
  return isPort(port) && host !== '' && (family === 0 || (family === 6) === isV6);
}

function growBuffers(socket: Socket, size: number): void {
  try {
    socket.setRecvBufferSize(size);
    socket.setSendBufferSize(size);
  } catch {
    // The kernel's default size stays; only bursts lose room.
  }
}
