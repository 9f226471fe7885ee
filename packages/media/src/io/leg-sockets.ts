/** The sockets of all legs, by the engine's index of the leg. */
export interface LegSockets {
  /** Binds an even port for RTP and the next one for RTCP; rejects with NoPortLeftError when no pair is free. */
  open(leg: number): Promise<number>;
  /** Sends or drops (and counts) at once; the bytes may be reused in the next 20 ms. */
  send(leg: number, bytes: Uint8Array, length: number, address: string, port: number): void;
  /** The same from the leg's RTCP port. */
  sendReport(leg: number, bytes: Uint8Array, length: number, address: string, port: number): void;
  /** After it resolves, no packet of this leg is received and its ports are free. Safe to call twice. */
  close(leg: number): Promise<void>;
  /** Delivers the packets that have arrived, on systems that need polling. */
  poll(): void;
  /**
   * Blocks the thread for this time. Returns true when it returned earlier because the event loop has work. Undefined
   * where a timer must pace the thread.
   */
  wait?(ms: number): boolean;
  /** Required calls of `poll` in 20 ms besides the one before a tick; 0 when packets are delivered without polling. */
  readonly pollsPerTick: number;
  readonly counters: SocketCounters;
  /** Frees what is left when all legs are closed. */
  end?(): void;
}

/** Open sockets, and packets since the start. */
export interface SocketCounters {
  /** Currently open sockets. */
  sockets: number;
  sent: number;
  received: number;
  /** Sends that the system refused. */
  sendErrors: number;
}

/** Where to bind, and the receivers of packets. */
export interface LegSocketsOptions {
  /** Address to bind, e.g. `0.0.0.0`. */
  readonly host: string;
  /** Inclusive; RTP uses even ports. */
  readonly ports: { readonly first: number; readonly last: number };
  readonly receive: ReceivePacket;
  readonly receiveReport: ReceivePacket;
}

/** `bytes` is valid during the call only. `ageMs` is the time since the packet reached this machine, 0 if unknown. */
export type ReceivePacket = (
  leg: number,
  bytes: Uint8Array,
  length: number,
  address: string,
  port: number,
  ageMs: number,
) => void;

/** Opens the sockets of one media thread; a faster implementation can replace the default. */
export type OpenLegSockets = (options: LegSocketsOptions) => LegSockets;

/** Every port pair of the range is in use. */
export class NoPortLeftError extends Error {
  readonly code = 'NO_PORT_LEFT';
  constructor(first: number, last: number) {
    super(`no pair of RTP ports is left between ${first} and ${last}`);
    this.name = 'NoPortLeftError';
  }
}
