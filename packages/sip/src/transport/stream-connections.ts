import type { Socket } from 'node:net';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import type { TransportCounters } from './counters.ts';
import { OpenConnections } from './open-connections.ts';
import { ReadingTurns } from './reading-turns.ts';
import { createSourceCounts, type SourceCounts } from './source-counts.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, StreamConnection } from './stream-connection.ts';
import type { ConnectTarget, StreamWire } from './stream-wire.ts';
import type { LocalAddress, TransportListener } from './transport-listener.ts';

/** Bounds of the connections of one transport; see `StreamTransportOptions`. */
export interface StreamConnectionsOptions {
  readonly listener: TransportListener;
  readonly limits?: Partial<ConnectionLimits>;
  readonly maxConnections?: number;
  readonly maxPerSource?: number;
  readonly turns?: ReadingTurns;
}

/** The connections of one transport: accepts those of peers within its limits, and opens one to a target that has none. */
export class StreamConnections {
  readonly open: OpenConnections<StreamConnection>;
  readonly #listener: TransportListener;
  readonly #counters: TransportCounters;
  readonly #wire: StreamWire;
  readonly #local: LocalAddress;
  readonly #limits: ConnectionLimits;
  readonly #maxConnections: number;
  readonly #sources: SourceCounts;
  readonly #turns: ReadingTurns;
  readonly #byPeer = new Map<string, StreamConnection>();
  /** Accepted sockets that are not ready for SIP, such as during a TLS handshake. */
  readonly #pending = new Set<Socket>();
  #isClosed = false;

  constructor(
    { listener, limits, maxConnections = 20_000, maxPerSource = 5_000, turns }: StreamConnectionsOptions,
    counters: TransportCounters,
    wire: StreamWire,
    local: LocalAddress,
  ) {
    this.open = new OpenConnections(listener, counters);
    this.#listener = listener;
    this.#counters = counters;
    this.#wire = wire;
    this.#local = local;
    this.#limits = { ...DEFAULT_CONNECTION_LIMITS, ...limits };
    this.#maxConnections = maxConnections;
    this.#sources = createSourceCounts(maxPerSource, listener.sourceOf);
    this.#turns = turns ?? new ReadingTurns();
  }

  /** A peer has connected. */
  accept(socket: Socket): void {
    const { remoteAddress, remotePort } = socket;
    if (remoteAddress === undefined || remotePort === undefined || !this.#admits(remoteAddress)) {
      this.#counters.connectionsRefused += 1;
      socket.destroy();
      return;
    }
    this.#counters.connectionsAccepted += 1;
    this.#pending.add(socket);
    socket.once('close', () => {
      this.#sources.release(remoteAddress);
      this.#pending.delete(socket);
    });
    this.#wire.accept(socket, (ready) => {
      this.#pending.delete(socket);
      const flow = this.#flowOf(ready, remoteAddress, remotePort);
      this.#adopt(ready, flow, this.#wire.acceptedKey(remoteAddress, remotePort), false);
    });
  }

  /** Sends over the connection to that target, and opens one if there is none. */
  sendTo(target: ConnectTarget, text: ByteString): void {
    const key = this.#wire.peerKey(target);
    const known = this.#byPeer.get(key);
    if (known !== undefined) {
      known.send(target, text);
      return;
    }
    const problem = this.#problemOf(target);
    if (problem === undefined) {
      this.#counters.connectionsOpened += 1;
      const socket = this.#wire.connect(target);
      this.#adopt(socket, this.#flowOf(socket, target.host, target.port), key, true).send(target, text);
    } else {
      this.#counters.sendFailures += 1;
      process.nextTick(() => this.#listener.onSendFailed?.({ target, text, sentence: problem }));
    }
  }

  /** Refuses further connections; flushes and closes the open ones. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    for (const socket of this.#pending) socket.destroy();
    await this.open.closeAll(graceMs);
  }

  #adopt(socket: Socket, flow: Flow, peer: string | undefined, isOutbound: boolean): StreamConnection {
    this.#turns.limit(socket);
    const connection = new StreamConnection({
      socket,
      flow,
      ...(isOutbound ? { readyEvent: this.#wire.readyEvent } : {}),
      limits: this.#limits,
      listener: this.#listener,
      counters: this.#counters,
      onClosed: () => {
        if (peer !== undefined && this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
        this.open.closed(flow);
      },
    });
    this.open.add(connection);
    if (peer !== undefined) this.#byPeer.set(peer, connection);
    return connection;
  }

  #flowOf(socket: Socket, remoteAddress: string, remotePort: number): Flow {
    const { localAddress = this.#local.address, localPort = this.#local.port } = socket;
    const flow: { -readonly [Key in keyof Flow]: Flow[Key] } = {
      id: this.open.newId(this.#wire.protocol),
      protocol: this.#wire.protocol,
      reliable: true,
      remoteAddress,
      remotePort,
      localAddress,
      localPort,
    };
    // Known only after the connect: the address behind a host name, and our own port.
    socket.once('connect', () => {
      flow.remoteAddress = socket.remoteAddress ?? remoteAddress;
      flow.localAddress = socket.localAddress ?? flow.localAddress;
      flow.localPort = socket.localPort ?? flow.localPort;
    });
    return flow;
  }

  /** Counts the source, if it is admitted. */
  #admits(remoteAddress: string): boolean {
    if (this.#isClosed || this.#isFull()) return false;
    return this.#listener.accepts?.(remoteAddress) !== false && this.#sources.take(remoteAddress);
  }

  #isFull(): boolean {
    return this.open.size + this.#pending.size >= this.#maxConnections;
  }

  #problemOf({ host, port }: ConnectTarget): string | undefined {
    if (this.#isClosed) return 'The transport is closed.';
    if (this.#isFull()) return 'There are too many connections.';
    if (host === '' || !Number.isInteger(port) || port < 1 || port > 65_535)
      return `"${host}" port ${port} is not a target: a host and a port from 1 to 65535 are needed.`;
    return undefined;
  }
}
