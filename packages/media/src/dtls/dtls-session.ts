import type { SrtpSuiteName } from '../rtp/srtp-suite.ts';

/** The keys that a handshake has agreed on (RFC 5764 §4.2): master key followed by salt, for each direction. */
export interface DtlsKeys {
  readonly suite: SrtpSuiteName;
  readonly sendKey: Uint8Array;
  readonly receiveKey: Uint8Array;
}

/** One DTLS association. It has no socket, no thread and no timer of its own: datagrams go in and come out. */
export interface DtlsSession {
  /**
   * `connected`: keys and the fingerprint of the other side can be read. `failed`: the handshake cannot succeed any more, or the other
   * side has ended the association.
   */
  readonly state: 'handshaking' | 'connected' | 'failed';
  /** Why it failed, for the log. */
  readonly problem: string | undefined;
  /** Consumes one datagram. Afterwards `take` has what is to be sent. Garbage is ignored. */
  receive(bytes: Uint8Array, length: number): void;
  /** The datagrams to be sent now, each of at most 1,200 bytes; a second call returns none. */
  take(): readonly Uint8Array[];
  /** Milliseconds until `resend` is due; undefined when nothing waits for an answer. */
  readonly resendInMs: number | undefined;
  resend(): void;
  /** The fingerprint of the other side's certificate by this hash function (RFC 8122 §5), such as `sha-256`; undefined for other ones. */
  fingerprint(hash: string): string | undefined;
  keys(): DtlsKeys | undefined;
  /** Frees its memory; safe to call twice. */
  close(): void;
}

/** DTLS of one media thread: one certificate, any number of sessions. */
export interface DtlsEndpoint {
  /** SHA-256 of our certificate in the form of SDP: pairs of upper-case digits between colons. */
  readonly fingerprint: string;
  /** The server waits; the client begins with its first `take`. */
  open(role: 'server' | 'client'): DtlsSession;
  /** Sessions that are not closed. */
  readonly openCount: number;
  close(): void;
}
