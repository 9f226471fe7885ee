export type { TransportCounters } from './counters.ts';
export { createStreamFramer, type Frame, type StreamFramer } from './stream-framer.ts';
export type { ConnectionLimits } from './tcp-connection.ts';
export {
  createTcpTransport,
  DEFAULT_CONNECTION_LIMITS,
  type TcpTransport,
  type TcpTransportOptions,
} from './tcp-transport.ts';
export type { LocalAddress, SendFailure, SendTarget, TransportListener } from './transport-listener.ts';
export { createTransports, type Transports, type TransportsOptions } from './transports.ts';
export { createUdpTransport, type UdpTransport, type UdpTransportOptions } from './udp-transport.ts';
