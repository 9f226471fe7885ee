import { connect, type Socket } from 'node:net';
import { type LookupName, socketLookup } from './socket-lookup.ts';
import type { SendTarget } from './transport-listener.ts';

/** A host and port to connect to. */
export type ConnectTarget = Exclude<SendTarget, { readonly flow: string }>;

/** The differences between TCP and TLS. */
export interface StreamWire {
  readonly protocol: 'tcp' | 'tls';
  /** Prepares an accepted socket for SIP and passes it to `take`, unless the preparation fails. */
  accept(socket: Socket, take: (ready: Socket) => void): void;
  connect(target: ConnectTarget): Socket;
  readonly readyEvent: 'connect' | 'secureConnect';
  /** The key of the only connection that may carry a message to this target. */
  peerKey(target: ConnectTarget): string;
  /** The key under which an accepted connection may carry our requests; undefined when it may not. */
  acceptedKey(address: string, port: number): string | undefined;
}

/** SIP over plain TCP; getaddrinfo looks up the names of targets unless `lookupName` does. */
export function createTcpWire(lookupName?: LookupName): StreamWire {
  const lookup = socketLookup(lookupName);
  return {
    protocol: 'tcp',
    accept: (socket, take) => take(socket),
    connect: ({ host, port }) => connect({ host, port, lookup }),
    readyEvent: 'connect',
    peerKey: ({ host, port }) => `${host}/${port}`,
    acceptedKey: (address, port) => `${address}/${port}`,
  };
}
