import type { SrtpSuiteName } from './srtp-suite.ts';

/** The key of one direction, from signalling. */
export interface SrtpMaster {
  readonly suite: SrtpSuiteName;
  /** Master key followed by master salt (RFC 4568 §6.1). */
  readonly keyAndSalt: Uint8Array;
}

/** Encryption and authentication of one direction. It knows no packet index: senders and receivers keep those. */
export interface SrtpTransform {
  /** Bytes that an RTP packet grows by. */
  readonly tagBytes: number;
  /** Bytes that a compound RTCP packet grows by. */
  readonly reportBytes: number;
  /** Protects the RTP packet in the first `length` bytes, whose payload begins at `start`, in place. */
  seal(packet: Uint8Array, start: number, length: number, ssrc: number, index: number): void;
  /**
   * Writes the plain packet of `length` bytes to `out`, which has room for its tag too; false when the packet is not authentic under this
   * index.
   */
  open(
    bytes: Uint8Array,
    start: number,
    length: number,
    ssrc: number,
    index: number,
    out: Uint8Array,
  ): boolean;
  /** Protects the compound RTCP packet in the first `length` bytes in place. */
  sealReport(packet: Uint8Array, length: number, ssrc: number, index: number): void;
  /** The E bit and the index of a protected compound packet whose plain length is `length`. */
  reportWord(bytes: Uint8Array, length: number): number;
  /** The same as `open` for a compound RTCP packet. */
  openReport(bytes: Uint8Array, length: number, ssrc: number, word: number, out: Uint8Array): boolean;
  /** Frees the ciphers; safe to call twice. */
  close(): void;
}

/** Derives one session key or salt from the master key. */
export type DeriveKey = (label: number, bytes: number) => Uint8Array;
