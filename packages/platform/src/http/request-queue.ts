import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '@jackfield/ports';

interface RequestQueueDeps {
  /** Requests of one connection that may wait while another one is answered. */
  readonly limit: number;
  readonly metrics: Pick<Metrics, 'count'>;
  /** Connections end with their last answer then. */
  isClosing(): boolean;
}

interface Connection {
  isAnswering: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Hands over the requests of a connection one at a time: the next when the client has read the answer before it. Node itself
 * starts every request of a chunk at once (64 KB hold more than a thousand), and keeps all their answers in memory. A
 * connection with more waiting requests than allowed is closed, as RFC 9112 §9.3.2 permits.
 */
export function oneAtATime(handler: RequestListener, deps: RequestQueueDeps): RequestListener {
  const { limit, metrics } = deps;
  const connections = new WeakMap<Socket, Connection>();

  function start(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.isAnswering = true;
    // Emitted after the last byte has left for the kernel, or when the connection is gone.
    response.once('close', () => startNext(connection, request.socket));
    handler(request, response);
  }

  function startNext(connection: Connection, socket: Socket): void {
    connection.isAnswering = false;
    // An answer on a closing connection does not arrive, so its request must not be carried out.
    if (!socket.writable) connection.waiting.length = 0;
    const next = connection.waiting.shift();
    // A server that closes has ended its idle connections already, and would wait until this one has been idle for too long.
    if (next === undefined && deps.isClosing()) socket.end();
    next?.();
    if (connection.waiting.length === 0 && socket.isPaused()) socket.resume();
  }

  return (request, response) => {
    const { socket } = request;
    // Node parses the rest of a chunk after its connection was closed.
    if (socket.destroyed) return;
    let connection = connections.get(socket);
    if (connection === undefined) {
      connection = { isAnswering: false, waiting: [] };
      connections.set(socket, connection);
    }
    const known = connection;
    if (!known.isAnswering) {
      start(known, request, response);
    } else if (known.waiting.length < limit) {
      known.waiting.push(() => start(known, request, response));
      socket.pause();
    } else {
      metrics.count('jackfield_http_pipelining_refused_total');
      known.waiting.length = 0;
      socket.destroy();
    }
  };
}
