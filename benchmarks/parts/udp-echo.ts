import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { servePart } from '../part.ts';

/** The floor of SIP over UDP: datagrams of the same sizes come in and go out, without other work. */
const socket = createSocket({ type: 'udp4', lookup: (address, _options, done) => done(null, address, 4) });

servePart({
  async start({ responseBytes }: { readonly responseBytes: number }) {
    socket.on('message', (bytes, from) => {
      socket.send(bytes, 0, Math.min(responseBytes, bytes.length), from.port, from.address);
    });
    // A synchronous lookup makes bind emit within the call.
    const listening = once(socket, 'listening');
    socket.bind(0, '127.0.0.1');
    await listening;
    return socket.address().port;
  },
  stop: () => socket.close(),
});
