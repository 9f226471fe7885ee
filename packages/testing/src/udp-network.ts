import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { DatagramNetwork, NetworkAddress, Receive } from '@jackfield/testkit/phones';
import { TestingError } from './testing-error.ts';

/** The network of this machine. A port is reserved, which takes a moment, before a phone opens it, which must not. */
export interface UdpNetwork extends DatagramNetwork {
  losePackets(rate: number): void;
  reserve(): Promise<NetworkAddress>;
  close(): void;
}

export function createUdpNetwork(host: string, random: () => number = Math.random): UdpNetwork {
  const reserved = new Map<number, Socket>();
  const open = new Map<number, Socket>();
  let lossRate = 0;
  const isLost = () => lossRate > 0 && random() < lossRate;

  return {
    losePackets(rate) {
      lossRate = rate;
    },
    async reserve() {
      const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.bind(0, host, resolve);
      }).catch((error: Error) => {
        throw new TestingError(
          'bad-option',
          `No port of ${host} can be opened (${error.message}): use an address of this machine as server.host or JACKFIELD_TEST_HOST.`,
          { cause: error },
        );
      });
      // A datagram that cannot be delivered is lost, as on any network.
      socket.on('error', () => {});
      const { port } = socket.address();
      reserved.set(port, socket);
      return { address: host, port };
    },
    attach({ port }: NetworkAddress, receive: Receive) {
      const socket = reserved.get(port);
      if (socket === undefined) throw new Error(`port ${port} was not reserved`);
      reserved.delete(port);
      open.set(port, socket);
      socket.on('message', (payload, from) => {
        if (!isLost()) receive(payload, { address: from.address, port: from.port });
      });
      return () => {
        if (open.delete(port)) socket.close();
      };
    },
    send(from, to, payload) {
      // The socket may send later than the sender reuses its buffer.
      if (!isLost()) open.get(from.port)?.send(Buffer.from(payload), to.port, to.address, () => {});
    },
    close() {
      for (const socket of [...reserved.values(), ...open.values()]) socket.close();
      reserved.clear();
      open.clear();
    },
  };
}
