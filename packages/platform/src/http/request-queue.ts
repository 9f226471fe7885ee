import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '@jackfield/ports';

interface RequestQueueDeps {
  /** Requests of one connection that may wait while another one is answered. */
  readonly limit: number;
  readonly metrics: Pick<Metrics, 'count'>;
}

interface Connection {
  isAnswering: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Hands the requests of each connection over one at a time: the next one when the client has taken the answer before it. Node
 * itself starts every request of a chunk at once (64 KB hold more than a thousand), and keeps all their answers in memory.
 * A connection that sends more than may wait is closed, as RFC 9112 §9.3.2 lets a server do.
 */
export function oneAtATime(handler: RequestListener, { limit, metrics }: RequestQueueDeps): RequestListener {
  const connections = new WeakMap<Socket, Connection>();

  function start(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.isAnswering = true;
    // Emitted after the last byte has left for the kernel, or when the connection is gone.
    response.once('close', () => goOn(connection, request.socket));
    handler(request, response);
  }

  function goOn(connection: Connection, socket: Socket): void {
    connection.isAnswering = false;
    // An answer on a connection that is closing does not arrive, so its request must not be carried out.
    if (!socket.writable) connection.waiting.length = 0;
    connection.waiting.shift()?.();
    if (connection.waiting.length === 0 && socket.isPaused()) socket.resume();
  }

  return (request, response) => {
    const { socket } = request;
    // The rest of a chunk is still parsed after its connection was closed.
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
