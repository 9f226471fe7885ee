/** How SIP travels, by the name that Via gives it in upper case (RFC 3261 §20.42, RFC 7118 §5.1). */
export type Protocol = 'udp' | 'tcp' | 'tls' | 'ws' | 'wss';

/** Where a message came from and where its answers go back to: a UDP peer seen from one socket, or one connection. */
export interface Flow {
  /** Unique while it lives; a connection that is opened again gets another. */
  readonly id: string;
  readonly protocol: Protocol;
  /** Whether the transport retransmits by itself, so that the transactions need not (RFC 3261 §17). */
  readonly reliable: boolean;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress: string;
  readonly localPort: number;
}
