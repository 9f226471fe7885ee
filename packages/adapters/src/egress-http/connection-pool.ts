import { isIP, type Socket } from 'node:net';
import { connect as openTlsSocket } from 'node:tls';
import type { buildConnector } from 'undici';
// Importing the whole library takes 4 MB more memory.
import Client from 'undici/lib/dispatcher/client.js';
import { dial } from './dial.ts';
import type { EgressTarget } from './egress-target.ts';
import { InterimAnswers } from './interim-answers.ts';

export interface PoolLimits {
  /** Idle connections that are kept open, to one host and altogether. */
  readonly idlePerHost: number;
  readonly idle: number;
  /** Below the five seconds after which many receivers close: a client that closes first cannot lose a request. */
  readonly idleMs: number;
  /** Longest use of a connection, so that a receiver that moves or drains gets no more requests. */
  readonly lifetimeMs: number;
}

export const poolLimits: PoolLimits = { idlePerHost: 32, idle: 512, idleMs: 4_000, lifetimeMs: 60_000 };

/** Limit of a response's header; a longer one ends the request. */
const maxHeaderBytes = 16_384;
/** TLS sessions that are kept for resumption. */
const maxSessions = 100;

/** Connections that stay open between requests. */
export interface ConnectionPool {
  /** An idle connection for this name and these addresses, or a new one, opened by its first request. */
  take(target: EgressTarget): Connection;
  /** A new connection that carries one request only. */
  open(target: EgressTarget): Connection;
  /** Connections that are open or being opened. */
  count(): number;
  close(): void;
}

/** One connection, for one request at a time. */
export interface Connection {
  readonly client: Client;
  /** The connection has carried a request before. */
  readonly isReused: boolean;
  readonly isConnected: boolean;
  /** Called when it is connected, TLS included. */
  onConnected: () => void;
  /** Called with the size of each piece that arrives, before it is parsed. */
  onReceived: (bytes: number) => void;
  /** The response is complete: the connection becomes idle, or closes when it may not be kept. */
  release(): void;
  /** Closes it in any state. */
  discard(): void;
}

/** A connection is reused only for requests with the same name and the same checked addresses. */
export function createConnectionPool(limits: PoolLimits, trust: string | undefined): ConnectionPool {
  const all = new Set<PooledConnection>();
  const idle = new IdleConnections(limits);
  const pool: Pool = { limits, trust, all, idle, sessions: new Map() };
  return {
    take(target) {
      const { secure, hostname, port, addresses } = target;
      const key = `${secure} ${hostname} ${port} ${addresses.map(({ address }) => address).join()}`;
      return idle.take(key)?.wake() ?? new PooledConnection(pool, target, key, true);
    },
    open: (target) => new PooledConnection(pool, target, '', false),
    count: () => all.size,
    close() {
      for (const connection of idle.all()) connection.discard();
    },
  };
}

interface Pool {
  readonly limits: PoolLimits;
  readonly trust: string | undefined;
  readonly all: Set<PooledConnection>;
  readonly idle: IdleConnections;
  /** TLS sessions by host and port. */
  readonly sessions: Map<string, Buffer>;
}

/** Idle connections by their key, the most recently used last; no list is empty. */
class IdleConnections {
  readonly #limits: PoolLimits;
  readonly #byKey = new Map<string, PooledConnection[]>();
  #count = 0;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  hasRoom(key: string): boolean {
    const { idle, idlePerHost } = this.#limits;
    return this.#count < idle && (this.#byKey.get(key)?.length ?? 0) < idlePerHost;
  }

  add(key: string, connection: PooledConnection): void {
    this.#count++;
    const others = this.#byKey.get(key);
    if (others === undefined) this.#byKey.set(key, [connection]);
    else others.push(connection);
  }

  take(key: string): PooledConnection | undefined {
    const found = this.#byKey.get(key)?.at(-1);
    if (found !== undefined) this.remove(key, found);
    return found;
  }

  remove(key: string, connection: PooledConnection): void {
    const others = this.#byKey.get(key);
    const at = others?.lastIndexOf(connection) ?? -1;
    if (others === undefined || at === -1) return;
    others.splice(at, 1);
    if (others.length === 0) this.#byKey.delete(key);
    this.#count--;
  }

  all(): readonly PooledConnection[] {
    return [...this.#byKey.values()].flat();
  }
}

class PooledConnection implements Connection {
  readonly client: Client;
  readonly #pool: Pool;
  readonly #key: string;
  readonly #isKept: boolean;
  #socket: Socket | undefined;
  readonly #interimAnswers = new InterimAnswers();
  #stopDialling = (): void => {};
  #openedAt = 0;
  isReused = false;
  isConnected = false;
  onConnected = (): void => {};
  onReceived = (_bytes: number): void => {};

  constructor(pool: Pool, target: EgressTarget, key: string, isKept: boolean) {
    this.#pool = pool;
    this.#key = key;
    this.#isKept = isKept;
    const { secure, hostname, port } = target;
    const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
    this.client = new Client(`${secure ? 'https' : 'http'}://${host}:${port}`, {
      connect: (_options, callback) => this.#connect(target, callback),
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: pool.limits.idleMs,
      keepAliveMaxTimeout: pool.limits.idleMs,
      // The exchange has its own timers for every phase.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
    this.client.on('disconnect', () => this.discard());
    pool.all.add(this);
  }

  #connect(target: EgressTarget, callback: buildConnector.Callback): void {
    const { addresses, port, secure } = target;
    const connected = (socket: Socket): void => {
      this.#openedAt = performance.now();
      this.isConnected = true;
      callback(null, socket);
      this.onConnected();
    };
    const failed = (error: Error): void => callback(error, null);
    const dialled = (tcp: Socket): void => {
      tcp.setNoDelay(true).on('error', () => {});
      const socket = secure ? encrypted(tcp, target, this.#pool) : tcp;
      this.#socket = socket;
      this.#watch(socket);
      if (!secure) {
        connected(socket);
        return;
      }
      let isDone = false;
      socket.once('secureConnect', () => {
        isDone = true;
        connected(socket);
      });
      socket.on('error', (error) => {
        if (!isDone) failed(error);
        isDone = true;
      });
    };
    this.#stopDialling = dial(addresses, port, dialled, failed);
  }

  #watch(socket: Socket): void {
    const push = socket.push.bind(socket);
    socket.push = (piece: Buffer | null) => {
      if (piece !== null) {
        this.#interimAnswers.rewrite(piece);
        this.onReceived(piece.length);
      }
      return !socket.destroyed && push(piece);
    };
  }

  wake(): this {
    this.isReused = true;
    this.#interimAnswers.begin();
    return this;
  }

  release(): void {
    const { all, idle, limits } = this.#pool;
    const isOld = performance.now() - this.#openedAt > limits.lifetimeMs;
    if (!this.#isKept || isOld || !idle.hasRoom(this.#key)) {
      all.delete(this);
      void this.client.close();
      return;
    }
    this.onConnected = () => {};
    this.onReceived = () => {};
    // When the response closes the connection, the client ends it after this call; the next request must not get it.
    queueMicrotask(() => {
      if (all.has(this) && this.#socket?.destroyed === false) idle.add(this.#key, this);
    });
  }

  discard(): void {
    if (!this.#pool.all.delete(this)) return;
    this.#pool.idle.remove(this.#key, this);
    void this.client.destroy();
    this.#stopDialling();
    this.#socket?.destroy();
  }
}

/** TLS on a connection to a checked address: the name is not resolved again. */
function encrypted(tcp: Socket, { hostname, port }: EgressTarget, { trust, sessions }: Pool): Socket {
  const server = `${hostname}:${port}`;
  const session = sessions.get(server);
  const socket = openTlsSocket({
    socket: tcp,
    // The certificate must be of this name.
    host: hostname,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    ...(trust === undefined ? {} : { ca: trust }),
    ...(session === undefined ? {} : { session }),
  });
  socket.on('session', (next) => {
    sessions.delete(server);
    if (sessions.size >= maxSessions) sessions.delete(sessions.keys().next().value!);
    sessions.set(server, next);
  });
  return socket;
}
