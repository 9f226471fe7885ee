export { openDgramSharedSocket } from './dgram-shared-socket.ts';
export { openDgramSockets } from './dgram-sockets.ts';
export type { MovedLegs } from './host-moves.ts';
export type { LatenessSummary } from './lateness.ts';
export {
  type LegSockets,
  type LegSocketsOptions,
  type MovedSockets,
  NoPortLeftError,
  type OpenLegSockets,
  type ReceivePacket,
  type SocketCounters,
} from './leg-sockets.ts';
export {
  createMediaHost,
  type HostCensus,
  type HostStats,
  type MediaHost,
  type MediaHostOptions,
} from './media-host.ts';
export {
  type FromMediaThread,
  type MediaQuestion,
  serveMediaThread,
  type ToMediaThread,
} from './media-thread.ts';
export {
  loadNoiseCancellation,
  type NoiseCancellation,
  type OpenNoiseCancellation,
} from './noise-cancellation.ts';
export { loadOpus, type OpenOpus } from './opus.ts';
export { createPortRange, type PortRange } from './port-range.ts';
export type { OpenSharedSocket, ReceiveDatagram, SharedSocket } from './shared-socket.ts';
export { nodeCiphers } from './srtp-ciphers.ts';
export type { ThreadWait, TickStats } from './tick-loop.ts';
export { openWebrtcPort, type WebrtcPort } from './webrtc-port.ts';
