/** What the transports let through and what they dropped, since they were opened. */
export interface TransportCounters {
  messagesReceived: number;
  messagesSent: number;
  /** Empty lines and NULs that keep a NAT open. */
  keepAlives: number;
  /** Datagrams above the size limit. */
  oversizedDropped: number;
  /** Messages that could not be handed to the network. */
  sendFailures: number;
  /** Exceptions that a listener threw; the transport went on. */
  listenerFailures: number;
  connectionsAccepted: number;
  connectionsOpened: number;
  /** TLS handshakes that did not come to their end: no TLS, no common version, a certificate that was refused, too slow. */
  handshakesFailed: number;
  /** Connections closed at once because there were too many, in all or from one source. */
  connectionsRefused: number;
  /** Connections closed because nothing, or half a message, came in time. */
  connectionsTimedOut: number;
  /** Connections closed because their bytes were no SIP. */
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
