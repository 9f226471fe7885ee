import type { SocketCounters } from './leg-sockets.ts';

/** A datagram on a shared socket. `bytes` is valid during the call only; `ageMs` is the time since it reached this machine, 0 if unknown. */
export type ReceiveDatagram = (
  bytes: Uint8Array,
  length: number,
  address: string,
  port: number,
  ageMs: number,
) => void;

/** One UDP port that many legs share. */
export interface SharedSocket {
  readonly port: number;
  readonly counters: SocketCounters;
  /** Sends at once, or at the next `flush`; the bytes may be reused after the call. */
  send(bytes: Uint8Array, length: number, address: string, port: number): void;
  /** Sends what waits, on systems that send in batches. */
  flush(): void;
  /** Delivers the datagrams that have arrived, on systems that need polling. */
  poll(): void;
  close(): void;
}

/** Binds the port; rejects when another program has it. */
export type OpenSharedSocket = (options: {
  readonly host: string;
  readonly port: number;
  readonly receive: ReceiveDatagram;
}) => Promise<SharedSocket>;
