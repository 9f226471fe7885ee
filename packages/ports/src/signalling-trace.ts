/** A SIP message of a call, without the secrets in it. */
export interface TracedMessage {
  /** The SIP Call-ID. */
  readonly callId: string;
  readonly direction: 'received' | 'sent';
  readonly transport: string;
  /** Address and port of the other side; empty for a connection that is closed. */
  readonly remoteAddress: string;
  readonly text: string;
  /** The message was longer. */
  readonly isCut: boolean;
}

/** Receives the signalling of calls as it happens; returns at once, and may be called often. */
export interface SignallingTrace {
  /** The messages that it receives now: none, those of calls, or those outside of calls as well. */
  readonly scope: 'none' | 'calls' | 'all';
  message(message: TracedMessage): void;
  /** Messages with this Call-ID, earlier ones included, are of this leg. */
  belongs(callId: string, leg: string): void;
}
