import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Metrics, sourceOf } from '@jackfield/ports';

/** How many connections may be open at once, WebSockets included. */
export interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerSource: number;
}

interface ConnectionLimitsDeps {
  readonly limits: ConnectionLimits;
  readonly metrics: Metrics;
  /** Whether an address has no limit of its own. */
  readonly isTrusted: (address: string) => boolean;
}

/**
 * Bounds the connections of a server, in all and of one source, before a byte of them is read. Returns the function that counts the open
 * ones.
 */
export function limitConnections(
  server: Server,
  { limits, metrics, isTrusted }: ConnectionLimitsDeps,
): () => number {
  const bySource = new Map<string, number>();
  let open = 0;

  // Ahead of the server's own listener, and below TLS: handshakes count as well.
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const source = isTrusted(address) ? undefined : sourceOf(address);
    const ofSource = source === undefined ? 0 : (bySource.get(source) ?? 0);
    if (open >= limits.connections || ofSource >= limits.connectionsPerSource) {
      metrics.count('jackfield_http_connections_refused_total');
      socket.destroy();
      return;
    }
    open += 1;
    if (source !== undefined) bySource.set(source, ofSource + 1);
    socket.once('close', () => {
      open -= 1;
      if (source === undefined) return;
      const left = (bySource.get(source) ?? 1) - 1;
      if (left === 0) bySource.delete(source);
      else bySource.set(source, left);
    });
  });
  return () => open;
}
