import type { ThreadWait } from './tick-loop.ts';

/** The sockets of all legs, by the engine's index of the leg. */
export interface LegSockets {
  /** Binds an even port for RTP and the next one for RTCP; rejects with NoPortLeftError when no pair is free. */
  open(leg: number): Promise<number>;
  /** Sends or drops (and counts) at once; the bytes may be reused after the call. */
  send(leg: number, bytes: Uint8Array, length: number, address: string, port: number): void;
  /** The same from the leg's RTCP port. */
  sendReport(leg: number, bytes: Uint8Array, length: number, address: string, port: number): void;
  /** After it resolves, no packet of this leg is received and its ports are free. Safe to call twice. */
  close(leg: number): Promise<void>;
  /** Takes the sockets of a leg out, for another thread of this process; its ports stay in use. Undefined for an unknown leg. */
  release(leg: number): Promise<MovedSockets | undefined>;
  /** Continues with the sockets of another thread. Where descriptors cannot be shared, the ports are bound again. */
  adopt(leg: number, moved: MovedSockets): Promise<void>;
  /** Frees moved sockets for which there is no leg. */
  discard(moved: MovedSockets): void;
  /** A port pair of this range that another thread used is free again. */
  freePort(port: number): void;
  /** Delivers the packets that have arrived, on systems that need polling. */
  poll(): void;
  /** The descriptor that outlives the thread if it dies; undefined where Node frees all. */
  readonly pollDescriptor?: number;
  /** Undefined where a timer must pace the thread. */
  readonly wait?: ThreadWait;
  /** Required calls of `poll` in 20 ms besides the one before a tick; 0 when packets are delivered without polling. */
  readonly pollsPerTick: number;
  readonly counters: SocketCounters;
  /** To be called when all legs are closed: frees the rest. */
  end?(): void;
}

/** The sockets of a leg between two threads. */
export interface MovedSockets {
  readonly port: number;
  /** Open descriptors of RTP and RTCP, which are valid in all threads of the process. Without them the ports are free to be bound. */
  readonly descriptors?: readonly [rtp: number, rtcp: number];
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

/** `bytes` is valid during the call only. `ageMs` is how long the packet had been here when the poll began, or now where nothing polls; 0 if unknown. */
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
