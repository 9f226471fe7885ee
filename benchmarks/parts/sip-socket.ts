import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';

/** The transport of a load generator: whole SIP messages without bodies. */
export interface SipSocket {
  readonly protocol: 'UDP' | 'TCP';
  readonly localPort: number;
  /** Sends to the port given at opening, or to another one. */
  send(message: Buffer, port?: number): void;
  /** One listener at a time. */
  listen(take: (message: string) => void): void;
  close(): void;
}

const host = '127.0.0.1';
/** Large enough for all packets that may wait on a loaded machine. */
const bufferBytes = 4 * 1024 * 1024;

export async function openUdp(remotePort: number): Promise<SipSocket> {
  const socket = createSocket({
    type: 'udp4',
    recvBufferSize: bufferBytes,
    sendBufferSize: bufferBytes,
    lookup: (address, _options, done) => done(null, address, 4),
  });
  let take: (message: string) => void = () => {};
  socket.on('message', (bytes) => take(bytes.toString('latin1')));
  // A synchronous lookup makes bind emit within the call.
  const listening = once(socket, 'listening');
  socket.bind(0, host);
  await listening;
  return {
    protocol: 'UDP',
    localPort: socket.address().port,
    send: (message, port = remotePort) => socket.send(message, port, host),
    listen: (listener) => {
      take = listener;
    },
    close: () => void socket.close(),
  };
}

export async function openTcp(remotePort: number): Promise<SipSocket> {
  const socket = connect(remotePort, host);
  await once(socket, 'connect');
  let take: (message: string) => void = () => {};
  let rest = '';
  socket.setEncoding('latin1');
  socket.on('data', (text) => {
    const messages = (rest + text).split('\r\n\r\n');
    rest = messages.pop() ?? '';
    for (const message of messages) take(message);
  });
  return {
    protocol: 'TCP',
    localPort: socket.localPort ?? 0,
    send: (message) => void socket.write(message),
    listen: (listener) => {
      take = listener;
    },
    close: () => void socket.destroy(),
  };
}
