/** The sockets of all legs, by the number that the engine gave the leg. */
export interface LegSockets {
  /** Binds an even port for RTP and the next one for RTCP; rejects with NoPortLeftError when the range is used up. */
  open(leg: number): Promise<number>;
  /** Sends at once or drops (and counts); the bytes may be reused when the next 20 ms begin. */
  send(leg: number, bytes: Uint8Array, length: number, address: string, port: number): void;
  /** The same from the leg's RTCP port. */
  sendReport(leg: number, bytes: Uint8Array, length: number, address: string, port: number): void;
  /** Nothing of this leg is received after it resolves, and its ports are free. Safe to call twice. */
  close(leg: number): Promise<void>;
  /** Hands over what has arrived since, where the system has to be asked for it. */
  poll(): void;
  /** How often `poll` wants to be called in 20 ms beside the one before a tick; 0 when packets come by themselves. */
  readonly pollsPerTick: number;
  readonly counters: SocketCounters;
}

/** Sockets that are open, and packets since the start. */
export interface SocketCounters {
  /** Sockets open now. */
  sockets: number;
  sent: number;
  received: number;
  /** Sends that the system refused. */
  sendErrors: number;
}

/** Where to bind, and who takes what arrives. */
export interface LegSocketsOptions {
  /** Address to bind, e.g. `0.0.0.0`. */
  readonly host: string;
  /** Inclusive; RTP takes even ports. */
  readonly ports: { readonly first: number; readonly last: number };
  readonly receive: ReceivePacket;
  readonly receiveReport: ReceivePacket;
}

/** `bytes` is valid during the call only. `ageMs` is how long ago the packet reached this machine, as far as that is known. */
export type ReceivePacket = (
  leg: number,
  bytes: Uint8Array,
  length: number,
  address: string,
  port: number,
  ageMs: number,
) => void;

/** Opens the sockets of one media thread; the way in which a faster implementation is put in. */
export type OpenLegSockets = (options: LegSocketsOptions) => LegSockets;

/** Every port pair of the range is in use. */
export class NoPortLeftError extends Error {
  readonly code = 'NO_PORT_LEFT';
  constructor(first: number, last: number) {
    super(`no pair of RTP ports is left between ${first} and ${last}`);
    this.name = 'NoPortLeftError';
  }
}
