export { createTransportCounters, type TransportCounters } from './counters.ts';
export { createDnsResolver, type DnsResolver, type DnsResolverOptions } from './dns-resolver.ts';
export { createLocator, type Locator, type LocatorOptions } from './locator.ts';
export { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from './stream-connection.ts';
export { createStreamFramer, type Frame, type StreamFramer } from './stream-framer.ts';
export {
  createTcpTransport,
  type StreamTransport,
  type StreamTransportOptions,
} from './stream-transport.ts';
export { type CertificateNames, isIdentityOf, sipIdentities } from './tls-identity.ts';
export {
  type Certificate,
  createTlsTransport,
  type TlsTransport,
  type TlsTransportOptions,
} from './tls-transport.ts';
export type { LocalAddress, SendFailure, SendTarget, TransportListener } from './transport-listener.ts';
export {
  createTransports,
  type SocketTransports,
  type Transports,
  type TransportsOptions,
} from './transports.ts';
export { createUdpTransport, type UdpTransport, type UdpTransportOptions } from './udp-transport.ts';
export type { UpgradeAnswer, UpgradeRefusal } from './upgrade-refusal.ts';
export {
  createWebSocketTransport,
  DEFAULT_WEB_SOCKET_LIMITS,
  type WebSocketLimits,
  type WebSocketTransport,
  type WebSocketTransportOptions,
} from './web-socket-transport.ts';
export type { AttachOptions } from './web-socket-upgrades.ts';
