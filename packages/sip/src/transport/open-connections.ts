import { randomBytes } from 'node:crypto';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import type { TransportCounters } from './counters.ts';
import type { SendTarget, TransportListener } from './transport-listener.ts';

/** A connection of a transport. */
export interface OpenConnection {
  readonly flow: Flow;
  /** False once nothing more can be sent: a connection that closes is reported as closed only when its last bytes are out. */
  readonly isOpen: boolean;
  /** Sends, or queues until the connection is established; a failure comes back through the listener. */
  send(target: SendTarget, text: ByteString): void;
  /** Marks the peer as authenticated. */
  keep(): void;
  /** Flushes, then closes. */
  end(): void;
  destroy(): void;
}

/** The live connections of one transport, by the id of their flow. */
export class OpenConnections<Connection extends OpenConnection> {
  readonly #byId = new Map<string, Connection>();
  readonly #listener: TransportListener;
  readonly #counters: TransportCounters;
  /** Ids must differ from those of another process: bindings may still hold these. */
  readonly #instance: string;
  #serial = 0;
  #emptied: (() => void) | undefined;

  constructor(listener: TransportListener, counters: TransportCounters) {
    this.#listener = listener;
    this.#instance = listener.flowInstance ?? randomBytes(6).toString('hex');
    this.#counters = counters;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** An id for the flow of the next connection. */
  newId(protocol: string): string {
    this.#serial += 1;
    return `${protocol}-${this.#instance}-${this.#serial}`;
  }

  add(connection: Connection): void {
    this.#byId.set(connection.flow.id, connection);
  }

  values(): Iterable<Connection> {
    return this.#byId.values();
  }

  /** Removes a closed connection and reports its flow. */
  closed(flow: Flow): void {
    this.#byId.delete(flow.id);
    try {
      this.#listener.onFlowClosed?.(flow);
    } catch (error) {
      this.#counters.listenerFailures += 1;
      this.#listener.onFault?.(error);
    }
    if (this.#byId.size === 0) this.#emptied?.();
  }

  /** Sends over a connection; false when it is closed. */
  sendOn(target: SendTarget, id: string, text: ByteString): boolean {
    const connection = this.#byId.get(id);
    connection?.send(target, text);
    return connection !== undefined;
  }

  /** The flow of a connection over which more can be sent. */
  flowById(id: string): Flow | undefined {
    const connection = this.#byId.get(id);
    return connection?.isOpen === true ? connection.flow : undefined;
  }

  /** Marks the peer of that connection as authenticated. */
  keep(id: string): void {
    this.#byId.get(id)?.keep();
  }

  /** Closes a connection at once. */
  cut(id: string): void {
    this.#byId.get(id)?.destroy();
  }

  /** Flushes and closes all connections; those that are left after the grace are cut. */
  async closeAll(graceMs: number): Promise<void> {
    if (this.#byId.size === 0) return;
    const emptied = new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
    for (const connection of this.#byId.values()) connection.end();
    const grace = setTimeout(() => {
      for (const connection of this.#byId.values()) connection.destroy();
    }, graceMs);
    await emptied;
    clearTimeout(grace);
  }
}
