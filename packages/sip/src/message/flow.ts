/** The transport protocols of SIP; Via has their names in upper case (RFC 3261 §20.42, RFC 7118 §5.1). */
export type Protocol = 'udp' | 'tcp' | 'tls' | 'ws' | 'wss';

/** The path of a message and of its responses: one UDP peer of one socket, or one connection. */
export interface Flow {
  /** Unique while it is open; a new connection to the same peer gets another id. */
  readonly id: string;
  readonly protocol: Protocol;
  /** Whether the transport retransmits, so that transactions do not (RFC 3261 §17). */
  readonly reliable: boolean;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress: string;
  readonly localPort: number;
}
