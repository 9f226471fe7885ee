/** Counters of passed and dropped traffic since the transports were opened. */
export interface TransportCounters {
  messagesReceived: number;
  messagesSent: number;
  /** Empty lines and NULs that keep a NAT open. */
  keepAlives: number;
  /** Datagrams above the size limit. */
  oversizedDropped: number;
  /** Messages that could not be sent. */
  sendFailures: number;
  /** Exceptions of listeners; the transport went on. */
  listenerFailures: number;
  connectionsAccepted: number;
  connectionsOpened: number;
  /** Failed TLS handshakes: no TLS, no common version, a refused certificate, or too slow. */
  handshakesFailed: number;
  /** Connections refused because there were too many, in total or from one source. */
  connectionsRefused: number;
  /** Connections closed because no complete message came in time. */
  connectionsTimedOut: number;
  /** Connections closed because their bytes were not SIP. */
  streamsBroken: number;
}

/** Counters at zero. */
export function createTransportCounters(): TransportCounters {
  return {
    messagesReceived: 0,
    messagesSent: 0,
    keepAlives: 0,
    oversizedDropped: 0,
    sendFailures: 0,
    listenerFailures: 0,
    connectionsAccepted: 0,
    connectionsOpened: 0,
    handshakesFailed: 0,
    connectionsRefused: 0,
    connectionsTimedOut: 0,
    streamsBroken: 0,
  };
}
