import { constants } from 'node:crypto';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import {
  connect as connectTls,
  createServer as createTlsServer,
  rootCertificates,
  type SecureContextOptions,
} from 'node:tls';
import { createTransportCounters } from './counters.ts';
import { socketLookup } from './socket-lookup.ts';
import { createSourceCounts } from './source-counts.ts';
import { DEFAULT_CONNECTION_LIMITS } from './stream-connection.ts';
import {
  createStreamTransport,
  type StreamTransport,
  type StreamTransportOptions,
} from './stream-transport.ts';
import type { ConnectTarget, StreamWire } from './stream-wire.ts';
import { type CertificateNames, isIdentityOf } from './tls-identity.ts';

/** A certificate chain and its private key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Options of SIP over TLS. */
export interface TlsTransportOptions extends StreamTransportOptions {
  /** Our certificate, as server and, on request, as client (RFC 5922 §7.3). */
  readonly certificate: Certificate;
  /** Certificates of trusted authorities, as PEM, besides the public ones. */
  readonly authorities?: readonly string[];
  /** The most concurrent handshakes, 1,000. */
  readonly maxHandshakes?: number;
  /** The most concurrent handshakes of one source, 100. */
  readonly maxHandshakesPerSource?: number;
}

/** SIP over TLS (RFC 3261 §26.3.1, RFC 5922). */
export interface TlsTransport extends StreamTransport {
  /** Uses another certificate from the next handshake on; throws when it does not match its key. */
  renew(certificate: Certificate): void;
}

/** RFC 8996 forbids older versions. Renegotiation would let a peer cost us unlimited work. */
const hardened: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

/** Listens for TLS; rejects when the address is taken or not ours, or the certificate does not match its key. */
export async function createTlsTransport(options: TlsTransportOptions): Promise<TlsTransport> {
  const { certificate, authorities = [], maxHandshakes = 1_000, maxHandshakesPerSource = 100 } = options;
  const counters = options.counters ?? createTransportCounters();
  const handshakeMs = options.limits?.handshakeMs ?? DEFAULT_CONNECTION_LIMITS.handshakeMs;
  const trusted = [...rootCertificates, ...authorities];
  const lookup = socketLookup(options.lookup);
  let shown = certificate;
  const sources = createSourceCounts(maxHandshakesPerSource, options.listener.sourceOf);
  // By the peer's address and port, which no two sockets share.
  const takers = new Map<string, (ready: Socket) => void>();
  // It does not listen: `accept` passes it the counted sockets.
  const handshakes = createTlsServer({ ...hardened, ...certificate });
  handshakes.on('tlsClientError', (_error, socket) => socket.destroy());

  const wire: StreamWire = {
    protocol: 'tls',
    accept(socket, take) {
      const source = socket.remoteAddress ?? '';
      const peer = peerOf(socket);
      if (takers.size >= maxHandshakes || !sources.take(source)) {
        counters.connectionsRefused += 1;
        socket.destroy();
        return;
      }
      // For the whole handshake: an idle timeout would restart with each byte of a slow peer.
      const deadline = setTimeout(() => {
        counters.connectionsTimedOut += 1;
        socket.destroy();
      }, handshakeMs);
      const over = (): boolean => {
        clearTimeout(deadline);
        const wasOpen = takers.delete(peer);
        if (wasOpen) sources.release(source);
        return wasOpen;
      };
      takers.set(peer, (ready) => {
        over();
        take(ready);
      });
      socket.once('close', () => {
        if (over()) counters.handshakesFailed += 1;
      });
      socket.on('error', () => socket.destroy());
      handshakes.emit('connection', socket);
    },
    connect: (target) => connectVerified(target, trusted, shown, lookup),
    readyEvent: 'secureConnect',
    peerKey: (target) => `${target.host}/${target.port}/${identityOf(target)}`,
    // An accepted connection has no verified certificate, and its source address proves no identity.
    acceptedKey: () => undefined,
  };
  handshakes.on('secureConnection', (ready) => {
    const take = takers.get(peerOf(ready));
    if (take === undefined) ready.destroy();
    else take(ready);
  });

  const transport = await createStreamTransport({ ...options, counters }, wire);
  return {
    ...transport,
    get connections() {
      return transport.connections;
    },
    renew(renewed) {
      handshakes.setSecureContext({ ...hardened, ...renewed });
      shown = renewed;
    },
  };
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress}/${socket.remotePort}`;
}

function identityOf(target: ConnectTarget): string {
  return (target.identity ?? target.host).toLowerCase();
}

function connectVerified(
  target: ConnectTarget,
  trusted: string[],
  shown: Certificate,
  lookup: LookupFunction,
): Socket {
  const identity = identityOf(target);
  return connectTls({
    ...hardened,
    ...shown,
    host: target.host,
    port: target.port,
    lookup,
    ca: trusted,
    // RFC 6066 §3: a server name is never an address.
    ...(isIP(identity) === 0 ? { servername: identity } : {}),
    checkServerIdentity: (_host, certificate) => wrongIdentity(certificate as CertificateNames, identity),
  });
}

function wrongIdentity(certificate: CertificateNames, identity: string): Error | undefined {
  if (isIdentityOf(certificate, identity)) return undefined;
  return new Error(`The certificate does not name ${identity}.`);
}
