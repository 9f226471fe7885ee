import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';

export interface PoolLimits {
  /** Connections that wait for another request, to one host and altogether. */
  readonly idlePerHost: number;
  readonly idle: number;
  /** Below the five seconds after which many receivers close: who closes first knows it. */
  readonly idleMs: number;
  /** No connection is used longer, so that a receiver that moves or drains loses us. */
  readonly lifetimeMs: number;
}

export const poolLimits: PoolLimits = { idlePerHost: 32, idle: 512, idleMs: 4_000, lifetimeMs: 60_000 };

/** Connections that stay open between requests. */
export interface ConnectionPool {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  /** Connections that are open. */
  open(): number;
  close(): void;
}

/** What a request adds to Node's options: the addresses that were checked for it. */
export interface CheckedOptions {
  readonly checked: string;
}

/** A connection is used again only by requests whose name and whose checked addresses are those it was opened for. */
export function createConnectionPool(limits: PoolLimits): ConnectionPool {
  const opened = new WeakMap<Socket, number>();
  let idle = 0;

  const options = { keepAlive: true, maxFreeSockets: limits.idlePerHost, timeout: limits.idleMs };
  const agents = [new HttpAgent(options), new HttpsAgent(options)] as const;
  for (const agent of agents) {
    // biome-ignore lint/suspicious/noExplicitAny: Node's documented extension points, whose types leave our option out
    const open = agent as any;
    const { getName, createConnection, keepSocketAlive, reuseSocket } = open;
    open.getName = (about: Partial<CheckedOptions>) => `${getName.call(agent, about)}|${about.checked}`;
    open.createConnection = (...all: unknown[]) => {
      const socket: Socket = createConnection.apply(agent, all);
      opened.set(socket, performance.now());
      return socket;
    };
    open.keepSocketAlive = (socket: Socket) => {
      const age = performance.now() - (opened.get(socket) ?? 0);
      if (age > limits.lifetimeMs || idle >= limits.idle) return false;
      if (keepSocketAlive.call(agent, socket) === false) return false;
      idle++;
      socket.once('close', leave);
      return true;
    };
    open.reuseSocket = (socket: Socket, request: unknown) => {
      socket.off('close', leave);
      leave();
      reuseSocket.call(agent, socket, request);
    };
  }

  function leave(): void {
    idle--;
  }

  const count = (lists: NodeJS.ReadOnlyDict<Socket[]>) =>
    Object.values(lists).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
  return {
    http: agents[0],
    https: agents[1],
    open: () =>
      agents.reduce((sum, { sockets, freeSockets }) => sum + count(sockets) + count(freeSockets), 0),
    close() {
      for (const agent of agents) agent.destroy();
    },
  };
}
