import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { OpenSharedSocket } from './shared-socket.ts';

/** A shared socket on node:dgram, which works on every system. */
export const openDgramSharedSocket: OpenSharedSocket = async ({ host, port, receive }) => {
  const socket = createSocket({
    type: isIPv6(host) ? 'udp6' : 'udp4',
    // Addresses are numeric here. Without this lookup, dgram would defer each send to the next turn of the event loop.
    lookup: (address, _options, done) => done(null, address, 4),
  });
  const bound = Promise.withResolvers<void>();
  socket.once('error', bound.reject);
  socket.bind({ port, address: host, exclusive: true }, bound.resolve);
  await bound.promise.catch((error: unknown) => {
    socket.close();
    throw error;
  });
  socket.removeListener('error', bound.reject);
  const counters = { sockets: 1, sent: 0, received: 0, sendErrors: 0 };
  // ICMP errors of a closed port need no reaction: consent expires without checks.
  socket.on('error', () => counters.sendErrors++);
  socket.on('message', (bytes, from) => {
    counters.received++;
    receive(bytes, bytes.length, from.address, from.port, 0);
  });
  return {
    port: socket.address().port,
    counters,
    send(bytes, length, address, to) {
      counters.sent++;
      // The engine overwrites its buffer before dgram has sent it.
      socket.send(bytes.slice(0, length), to, address, (error) => {
        if (error !== null) counters.sendErrors++;
      });
    },
    flush() {},
    poll() {},
    close() {
      if (counters.sockets === 0) return;
      counters.sockets = 0;
      socket.close();
    },
  };
};
